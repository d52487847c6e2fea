//! Connects to the queue server.

use std::error::Error;
use std::io;
use std::time::Duration;

use anyhow::Context;
use async_nats::{Client, ConnectError, ConnectErrorKind, ConnectOptions, Event, ServerAddr};
use futures_util::StreamExt;
use percent_encoding::percent_decode_str;
use tokio::time::timeout;

use crate::options::Server;
use arena_runner::status::status;
use arena_tournament::printable::clean;

/// Maximum delay between two attempts to reconnect.
const MAX_RECONNECT_DELAY: Duration = Duration::from_secs(8);

/// Timeout for the answer of another process.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(2);

/// Time to send pending messages at the end.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(3);

/// Connects with a name that the server shows. Coordinators and workers use separate inboxes, so that a server can prevent each role from
/// reading messages of the other.
pub async fn connect(server: &Server, role: &str, name: &str) -> anyhow::Result<Client> {
    let url = &server.url;
    let shown = without_password(url);
    let servers = url
        .split(',')
        .map(str::parse)
        .collect::<Result<Vec<ServerAddr>, _>>();
    let servers = servers.with_context(|| {
        format!("{shown} is not the address of a queue: write nats://HOST:4222")
    })?;
    let options = with_user(options(server).await?, &servers)?
        .name(name)
        .custom_inbox_prefix(format!("_INBOX.{role}"));
    options.connect(servers.as_slice()).await.map_err(|error| {
        let what = match error.kind() {
            ConnectErrorKind::Authentication | ConnectErrorKind::AuthorizationViolation => {
                "it denied access"
            }
            _ if is_insecure(&error) => "there is no secure connection",
            _ => "is it running, and can it be reached from here?",
        };
        anyhow::Error::new(error).context(format!("cannot connect to the queue at {shown}: {what}"))
    })
}

/// Returns `true` for a temporary failure, in which no server answers.
pub fn is_absent(error: &ConnectError) -> bool {
    let may_pass = matches!(
        error.kind(),
        ConnectErrorKind::Io | ConnectErrorKind::TimedOut | ConnectErrorKind::Dns
    );
    may_pass && !is_insecure(error)
}

/// Returns true if one side rejects the other's certificate, which TLS reports as invalid data.
fn is_insecure(error: &ConnectError) -> bool {
    let source = error
        .source()
        .and_then(|source| source.downcast_ref::<io::Error>());
    error.kind() == ConnectErrorKind::Tls
        || source.is_some_and(|error| error.kind() == io::ErrorKind::InvalidData)
}

/// Logs in with the password or the token in the address, because the client library ignores both.
fn with_user(options: ConnectOptions, servers: &[ServerAddr]) -> anyhow::Result<ConnectOptions> {
    let named = servers
        .iter()
        .find_map(|server| Some((server.username()?, server.password())));
    Ok(match named {
        Some((user, Some(password))) => {
            options.user_and_password(decoded(user)?, decoded(password)?)
        }
        Some((token, None)) => options.token(decoded(token)?),
        None => options,
    })
}

/// Decodes the percent-encoding in part of an address.
fn decoded(text: &str) -> anyhow::Result<String> {
    let decoded = percent_decode_str(text).decode_utf8();
    Ok(decoded
        .context("the user or password in the queue's address is not UTF-8")?
        .into_owned())
}

/// Begins to answer on a subject. If another process already does, returns its machine and process id instead.
pub async fn claim(client: &Client, subject: String) -> anyhow::Result<Option<String>> {
    // The server reports immediately if no process is listening.
    let question = client.request(subject.clone(), "".into());
    if let Ok(Ok(answer)) = timeout(ANSWER_TIMEOUT, question).await {
        return Ok(Some(clean(&String::from_utf8_lossy(&answer.payload))));
    }
    let (client, mut questions) = (client.clone(), client.subscribe(subject).await?);
    tokio::spawn(async move {
        while let Some(question) = questions.next().await {
            if let Some(reply) = question.reply {
                // A rival that gets no answer has lost its connection as well.
                let _ = client.publish(reply, crate::machine().into()).await;
            }
        }
    });
    Ok(None)
}

/// Waits until everything has been sent; without a connection, only briefly.
pub async fn flush(client: &Client) {
    // Unsent messages are lost after the timeout. That costs only time.
    let _ = timeout(FLUSH_TIMEOUT, client.flush()).await;
}

/// Returns the address without its password.
fn without_password(url: &str) -> String {
    let hidden = |url: &str| match (url.split_once("://"), url.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, host))) => format!("{scheme}://{host}"),
        (None, Some((_, host))) => host.to_owned(),
        _ => url.to_owned(),
    };
    url.split(',').map(hidden).collect::<Vec<_>>().join(",")
}

async fn options(server: &Server) -> anyhow::Result<ConnectOptions> {
    let mut options = ConnectOptions::new()
        .ping_interval(Duration::from_secs(10))
        .reconnect_delay_callback(pause)
        .event_callback(|event| async move { report(&event) });
    if let Some(file) = &server.creds {
        options = options
            .credentials_file(file)
            .await
            .with_context(|| file.display().to_string())?;
    }
    if let Some(file) = &server.nkey {
        let seed = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
        options = options.nkey(seed.trim().to_owned());
    }
    if let Some(file) = &server.ca {
        options = options
            .add_root_certificates(file.clone())
            .require_tls(true);
    }
    if let Some((cert, key)) = &server.identity {
        options = options
            .add_client_certificate(cert.clone(), key.clone())
            .require_tls(true);
    }
    Ok(options)
}

/// Returns the delay before a reconnection attempt, doubled each time.
pub fn pause(attempts: usize) -> Duration {
    if attempts == 0 {
        return Duration::ZERO;
    }
    Duration::from_millis(100)
        .saturating_mul(1 << attempts.min(10))
        .min(MAX_RECONNECT_DELAY)
}

fn report(event: &Event) {
    match event {
        Event::Disconnected => status("queue: connection lost; trying again"),
        Event::ServerError(error) => status(format_args!("queue: the server reports: {error}")),
        Event::SlowConsumer(_) => status("queue: messages come faster than they are read"),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_not_shown() {
        assert_eq!(
            without_password("nats://me:secret@host:4222"),
            "nats://host:4222"
        );
        assert_eq!(
            without_password("nats://a:4222,nats://u:p@b"),
            "nats://a:4222,nats://b"
        );
        assert_eq!(without_password("host"), "host");
    }

    #[test]
    fn passwords_may_hold_anything() {
        for (text, expected) in [
            ("plain", "plain"),
            ("a%40b%2Fc%25", "a@b/c%"),
            ("%C3%A9", "é"),
            ("100%", "100%"),
            ("%zz%+1", "%zz%+1"),
        ] {
            assert_eq!(decoded(text).unwrap(), expected);
        }
        assert!(decoded("%ff").is_err());
    }
}
