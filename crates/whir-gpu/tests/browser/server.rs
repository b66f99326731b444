//! A web server for one page: what it needs by path, and one report that it posts.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

/// A file: path, type and contents.
pub struct File {
    pub path: &'static str,
    pub kind: &'static str,
    pub contents: Vec<u8>,
}

/// Where the page posts its report.
pub const REPORT: &str = "/report";

/// Serves on a free port of this machine alone until the process ends; reports arrive at the
/// receiver.
pub fn serve(files: Vec<File>) -> std::io::Result<(SocketAddr, Receiver<Vec<u8>>)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let address = listener.local_addr()?;
    let (sender, receiver) = channel();
    let files = Arc::new(files);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let (files, sender) = (Arc::clone(&files), sender.clone());
            // A browser opens connections ahead and leaves them silent, so each has a thread.
            thread::spawn(move || answer(&stream, &files, &sender));
        }
    });
    Ok((address, receiver))
}

/// Answers one request; one that cannot be read or answered is dropped.
fn answer(stream: &TcpStream, files: &[File], reports: &Sender<Vec<u8>>) -> std::io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(60)))?;
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let mut words = line.split_whitespace();
    let (method, target) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
    let (method, target) = (method.to_owned(), target.to_owned());
    let mut length = 0;
    loop {
        line.clear();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let path = target.split('?').next().unwrap_or("");
    let found = files.iter().find(|file| file.path == path);
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let (status, kind, contents): (_, _, &[u8]) = match (method.as_str(), found) {
        ("GET", Some(file)) => ("200 OK", file.kind, &file.contents),
        ("POST", _) if path == REPORT => ("200 OK", "text/plain", b"thanks"),
        _ => ("404 Not Found", "text/plain", b"not found"),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\
         Cache-Control: no-store\r\nConnection: close\r\n\r\n",
        contents.len()
    );
    let mut stream = stream;
    stream.write_all(head.as_bytes())?;
    stream.write_all(contents)?;
    if method == "POST" && path == REPORT {
        // Nobody may be waiting any more.
        let _ = reports.send(body);
    }
    Ok(())
}
