"use strict";

// Replays traces of a device's commands through WebGPU.
//
// A file of cases is { "cases": [{ "name": text, "trace": trace, "expected": [[word, ..], ..] }] }
// with a trace as `Trace::to_json` of the crate writes it and the words of each of its reads.
//
// replay.html?cases=URL runs the cases at that address at once; &report=URL posts the outcome there:
// { "adapter": text, "error": text or null,
//   "cases": [{ "name", "ok", "error": text or null, "reads": [[word, ..], ..] }, ..] }

// Bytes between the parameters of two dispatches, the largest alignment of a uniform binding.
const SLOT = 256;

const byId = (id) => document.getElementById(id);

function setStatus(text) {
  byId("status").textContent = text;
}

async function openDevice() {
  if (!navigator.gpu) {
    throw new Error("this browser has no WebGPU, or the page is not from a secure origin");
  }
  const adapter = await navigator.gpu.requestAdapter({ powerPreference: "high-performance" });
  if (!adapter) {
    throw new Error("this browser has WebGPU but no adapter for it");
  }
  const info = adapter.info ?? {};
  const parts = [info.vendor, info.architecture, info.device, info.description];
  const name = parts.filter((part) => part).join(" / ") || "unnamed";
  // The default limits: what every device has.
  return { name, device: await adapter.requestDevice() };
}

const BINDINGS = { uniform: "uniform", read: "read-only-storage", read_write: "storage" };

async function buildPipeline(device, kernel) {
  const module = device.createShaderModule({ label: kernel.label, code: kernel.wgsl });
  const layout = device.createBindGroupLayout({
    label: kernel.label,
    entries: kernel.bindings.map((access, binding) => ({
      binding,
      visibility: GPUShaderStage.COMPUTE,
      buffer: { type: BINDINGS[access] },
    })),
  });
  try {
    const pipeline = await device.createComputePipelineAsync({
      label: kernel.label,
      layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
      compute: { module, entryPoint: "main" },
    });
    return { pipeline, layout };
  } catch (error) {
    const { messages } = await module.getCompilationInfo();
    const lines = messages.map((m) => `${m.lineNum}:${m.linePos} ${m.type}: ${m.message}`);
    throw new Error([`${kernel.label}: ${error.message}`, ...lines].join("\n"));
  }
}

// Kernels of one text are compiled once, all of them at the same time.
class Pipelines {
  constructor(device) {
    this.device = device;
    this.known = new Map();
  }

  get(kernel) {
    if (!this.known.has(kernel.wgsl)) {
      const built = buildPipeline(this.device, kernel);
      // Whoever waits for it sees the failure; until then nobody has to.
      built.catch(() => {});
      this.known.set(kernel.wgsl, built);
    }
    return this.known.get(kernel.wgsl);
  }
}

// Runs a trace; the words of each read.
async function replay(device, pipelines, trace) {
  const built = await Promise.all(trace.kernels.map((kernel) => pipelines.get(kernel)));
  const { STORAGE, UNIFORM, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage;
  const made = [];
  const makeBuffer = (size, usage) => {
    const buffer = device.createBuffer({ size, usage });
    made.push(buffer);
    return buffer;
  };
  const usage = STORAGE | UNIFORM | COPY_SRC | COPY_DST;
  const buffers = trace.buffers.map((words) => makeBuffer(4 * words, usage));
  const place = ([buffer, first, words]) => ({
    buffer: buffers[buffer],
    offset: 4 * first,
    size: 4 * words,
  });

  const dispatches = trace.steps.filter((step) => step.do === "dispatch");
  const parameters = new Uint32Array(Math.max(1, dispatches.length) * (SLOT / 4));
  dispatches.forEach((step, i) => parameters.set(step.parameters, i * (SLOT / 4)));
  const uniform = makeBuffer(parameters.byteLength, UNIFORM | COPY_DST);
  device.queue.writeBuffer(uniform, 0, parameters);

  const reads = trace.steps.filter((step) => step.do === "read").map((step) => step.range);
  const bytes = reads.reduce((sum, range) => sum + 4 * range[2], 0);
  const staging = makeBuffer(Math.max(4, bytes), MAP_READ | COPY_DST);

  let encoder = null;
  let pass = null;
  const endPass = () => {
    pass?.end();
    pass = null;
  };
  const submit = () => {
    endPass();
    if (encoder) device.queue.submit([encoder.finish()]);
    encoder = null;
  };
  const outside = () => {
    endPass();
    encoder ??= device.createCommandEncoder();
    return encoder;
  };
  let dispatched = 0;
  let read = 0;
  for (const step of trace.steps) {
    switch (step.do) {
      case "write": {
        // An upload would overtake what is encoded.
        submit();
        const { buffer, offset } = place(step.to);
        device.queue.writeBuffer(buffer, offset, new Uint32Array(step.words));
        break;
      }
      case "dispatch": {
        const { pipeline, layout } = built[step.kernel];
        const resources = [
          { buffer: uniform, offset: SLOT * dispatched, size: SLOT },
          ...step.bindings.map(place),
        ];
        dispatched += 1;
        pass ??= outside().beginComputePass();
        pass.setPipeline(pipeline);
        pass.setBindGroup(
          0,
          device.createBindGroup({
            layout,
            entries: resources.map((resource, binding) => ({ binding, resource })),
          }),
        );
        pass.dispatchWorkgroups(...step.grid);
        break;
      }
      case "copy": {
        const [from, to] = [place(step.from), place(step.to)];
        outside().copyBufferToBuffer(from.buffer, from.offset, to.buffer, to.offset, to.size);
        break;
      }
      case "clear": {
        const { buffer, offset, size } = place(step.range);
        outside().clearBuffer(buffer, offset, size);
        break;
      }
      case "read": {
        const { buffer, offset, size } = place(step.range);
        outside().copyBufferToBuffer(buffer, offset, staging, read, size);
        read += size;
        break;
      }
      default:
        throw new Error(`a step that is not known: ${step.do}`);
    }
  }
  submit();
  await staging.mapAsync(GPUMapMode.READ);
  const words = new Uint32Array(staging.getMappedRange().slice(0));
  made.forEach((buffer) => buffer.destroy());
  let at = 0;
  return reads.map(([, , count]) => Array.from(words.subarray(at, (at += count))));
}

// The first place where words differ from those expected; null if there is none.
function difference(reads, expected) {
  if (reads.length !== expected.length) {
    return `${reads.length} reads, expected ${expected.length}`;
  }
  for (const [i, words] of reads.entries()) {
    if (words.length !== expected[i].length) {
      return `read ${i}: ${words.length} words, expected ${expected[i].length}`;
    }
    const at = words.findIndex((word, j) => word !== expected[i][j]);
    if (at >= 0) {
      return `read ${i}, word ${at}: ${words[at]}, expected ${expected[i][at]}`;
    }
  }
  return null;
}

async function runCase(device, pipelines, { name, trace, expected }) {
  const outcome = { name, ok: false, error: null, reads: [] };
  device.pushErrorScope("validation");
  device.pushErrorScope("out-of-memory");
  device.pushErrorScope("internal");
  try {
    outcome.reads = await replay(device, pipelines, trace);
    outcome.error = difference(outcome.reads, expected);
  } catch (error) {
    outcome.error = error.message;
  }
  for (let scope = 0; scope < 3; scope += 1) {
    const error = await device.popErrorScope();
    if (error) outcome.error = `${error.message}\n${outcome.error ?? ""}`;
  }
  outcome.ok = outcome.error === null;
  return outcome;
}

function showCase({ trace }, outcome, milliseconds) {
  const row = byId("cases").insertRow();
  const dispatches = trace.steps.filter((step) => step.do === "dispatch").length;
  const time = `${(milliseconds / 1000).toFixed(2)} s`;
  const result = outcome.ok ? "ok" : `failed: ${outcome.error}`;
  for (const text of [outcome.name, result, trace.kernels.length, dispatches, time]) {
    row.insertCell().textContent = text;
  }
  row.cells[1].className = outcome.ok ? "ok" : "failed";
}

async function runAll(cases) {
  const report = { adapter: "", error: null, cases: [] };
  byId("cases").replaceChildren();
  try {
    setStatus("Opening the device ...");
    const { name, device } = await openDevice();
    report.adapter = name;
    byId("adapter").textContent = name;
    device.lost.then(({ reason, message }) => {
      if (reason !== "destroyed") setStatus(`The device was lost: ${message}`);
    });
    const pipelines = new Pipelines(device);
    cases.forEach(({ trace }) => trace.kernels.forEach((kernel) => pipelines.get(kernel)));
    for (const one of cases) {
      setStatus(`Running ${one.name} (compiling takes seconds a kernel) ...`);
      const start = performance.now();
      const outcome = await runCase(device, pipelines, one);
      report.cases.push(outcome);
      showCase(one, outcome, performance.now() - start);
    }
    const passed = report.cases.filter(({ ok }) => ok).length;
    setStatus(`${passed} of ${cases.length} cases ok, ${pipelines.known.size} kernels.`);
    device.destroy();
  } catch (error) {
    report.error = error.message;
    setStatus(`Failed: ${error.message}`);
  }
  return report;
}

async function start() {
  byId("file").addEventListener("change", async ({ target }) => {
    await runAll(JSON.parse(await target.files[0].text()).cases);
  });
  const query = new URLSearchParams(location.search);
  if (!query.has("cases")) return;
  let report;
  try {
    const answer = await fetch(query.get("cases"));
    report = await runAll((await answer.json()).cases);
  } catch (error) {
    setStatus(`Failed: ${error.message}`);
    report = { adapter: "", error: error.message, cases: [] };
  }
  if (query.has("report")) {
    await fetch(query.get("report"), { method: "POST", body: JSON.stringify(report) });
  }
}

start();
