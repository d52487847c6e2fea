//! Access control: requests need a token, and must come from a page of this server.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::uri::Authority;
use axum::http::{Method, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use percent_encoding::percent_decode_str;
use sha2::{Digest, Sha256};
use tokio::time::timeout;

use super::Site;
use super::answer::{Answer, Problem};

/// Content security policy: pages may load and run only the server's own files, and cannot be framed.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
    form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
/// Default headers, for responses that do not set their own.
const HEADERS: [(&str, &str); 7] = [
    ("content-security-policy", POLICY),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cache-control", "no-store"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
];
/// Path prefix of static files.
const STATIC: &str = "/static/";
const TABLES: [&str; 2] = ["/seat/", "/watch/"];
const PLAY: &str = "/play";
/// Query parameter that holds the token.
const TOKEN: &str = "token=";
/// Timeout for receiving the body of a request.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum size of a request body, in bytes.
const MAX_BODY_BYTES: usize = 64 * 1024;
const OVER: &str =
    "The match of this link is over. Its replay is among the tournaments of the server.";
const NO_TOKEN: &str = "Open the address that `arena serve` has printed: it ends in ?token=… and lets this browser in.";
const ONLY_WATCHING: &str = "The address that let this browser in is for watching only.";
const ONLY_OWN_PAGES: &str = "Only pages of this server may change anything.";
const ONLY_JSON: &str = "Only application/json is accepted.";
const UNKNOWN_NAME: &str = "This server is not known by that name. Open it as localhost or 127.0.0.1, also through a tunnel and at any port, \
    or start it with `arena serve --host NAME`.";

/// Sender of an allowed request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// A player or spectator with the key of a table.
    Guest,
    /// Holder of the host's token.
    Host,
    /// Holder of the viewers' token.
    Viewer,
}

/// Tokens and names of the server.
pub struct Access {
    /// Token of the server's host.
    pub token: String,
    /// Token for viewers, who may watch but not play.
    pub view_token: Option<String>,
    /// The name given with `--host`.
    pub host: String,
    /// Address that the server listens on.
    pub address: SocketAddr,
}

impl Access {
    /// Returns the address that logs in with a token.
    pub fn link(&self, token: &str) -> String {
        let mut address = self.address;
        if address.ip().is_unspecified() {
            address.set_ip(Ipv4Addr::LOCALHOST.into());
        }
        format!("http://{address}/?{TOKEN}{token}")
    }

    /// Returns `true` if the `Host` header is an address, `localhost` or the given name. An attacker cannot let these names point to this
    /// server (DNS rebinding). The port is ignored, because it differs behind a tunnel.
    fn is_known(&self, headers: &HeaderMap) -> bool {
        let Some(authority) = authority(headers) else {
            return false;
        };
        let name = authority.host();
        let address = name.trim_start_matches('[').trim_end_matches(']');
        match address.parse::<IpAddr>() {
            Ok(address) => !self.address.ip().is_loopback() || address.is_loopback(),
            Err(_) => name == "localhost" || name.eq_ignore_ascii_case(&self.host),
        }
    }

    /// Returns the owner of a token.
    fn owner(&self, text: &str) -> Option<Owner> {
        // Compare hashes, so that the time does not reveal how much of a guess is right.
        let is = |token: &str| Sha256::digest(text) == Sha256::digest(token);
        match &self.view_token {
            _ if is(&self.token) => Some(Owner::Host),
            Some(token) if is(token) => Some(Owner::Viewer),
            _ => None,
        }
    }

    /// Returns the owner of the token in the request's cookie.
    fn of_cookie(&self, headers: &HeaderMap) -> Option<Owner> {
        let wanted = cookie(headers);
        let all = headers.get_all(header::COOKIE).iter();
        let all = all.filter_map(|cookies| cookies.to_str().ok());
        let pairs = all.flat_map(|cookies| cookies.split(';'));
        let mut pairs = pairs.filter_map(|pair| pair.trim().split_once('='));
        pairs.find_map(|(name, value)| self.owner(value).filter(|_| name == wanted))
    }

    /// Returns the valid token in an address, if any, and the address without it.
    fn without_token<'a>(&self, uri: &'a Uri) -> Option<(&'a str, String)> {
        let is_right = |part: &'a str| {
            part.strip_prefix(TOKEN)
                .filter(|token| self.owner(token).is_some())
        };
        let parts = || uri.query().unwrap_or_default().split('&');
        let token = parts().find_map(is_right)?;
        let rest: Vec<&str> = parts().filter(|part| !part.starts_with(TOKEN)).collect();
        let path = Some(uri.path()).filter(|path| is_plain(path));
        let question = if rest.is_empty() { "" } else { "?" };
        let path = path.unwrap_or("/");
        Some((token, format!("{path}{question}{}", rest.join("&"))))
    }
}

/// Returns the host name and port by which the browser reached this server.
fn authority(headers: &HeaderMap) -> Option<Authority> {
    headers.get(header::HOST)?.to_str().ok()?.parse().ok()
}

/// Returns the name of the token's cookie. The name includes the port, because browsers share cookies among all ports of a host.
fn cookie(headers: &HeaderMap) -> String {
    let port = authority(headers).and_then(|authority| authority.port_u16());
    format!("arena_{}", port.unwrap_or(80))
}

/// Returns `true` for a path that browsers never take for the address of another server.
fn is_plain(path: &str) -> bool {
    let decoded = percent_decode_str(path).decode_utf8_lossy();
    let second = decoded.strip_prefix('/');
    second.is_some_and(|rest| !rest.starts_with(['/', '\\'])) && !decoded.contains(char::is_control)
}

/// Passes on allowed requests and rejects the others.
pub async fn guard(State(site): State<Arc<Site>>, request: Request, next: Next) -> Response {
    let mut response = match admit(&site, &request) {
        Ok(owner) => match received(request).await {
            Ok(mut request) => {
                request.extensions_mut().insert(owner);
                next.run(request).await
            }
            Err(problem) => problem.into_response(),
        },
        Err(refusal) => *refusal,
    };
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        let value = HeaderValue::from_static(value);
        headers
            .entry(HeaderName::from_static(name))
            .or_insert(value);
    }
    response
}

/// Receives the body of a request, within its limits of size and time.
async fn received(request: Request) -> Answer<Request> {
    if is_reading(&request) {
        return Ok(request);
    }
    let (head, body) = request.into_parts();
    let (status, why) = match timeout(BODY_TIMEOUT, to_bytes(body, MAX_BODY_BYTES)).await {
        Ok(Ok(body)) => return Ok(Request::from_parts(head, body.into())),
        Ok(Err(_)) => (StatusCode::PAYLOAD_TOO_LARGE, "is too large"),
        Err(_) => (StatusCode::REQUEST_TIMEOUT, "did not arrive in time"),
    };
    Err(Problem(status, format!("The body of the request {why}.")))
}

fn is_reading(request: &Request) -> bool {
    matches!(*request.method(), Method::GET | Method::HEAD)
}

/// Returns the sender of an allowed request, if known, or the response that rejects it.
fn admit(site: &Site, request: &Request) -> Result<Option<Owner>, Box<Response>> {
    let access = &site.access;
    let headers = request.headers();
    let path = request.uri().path();
    let refuse = |status, why: &str| Err(Box::new(Problem(status, why.to_owned()).into_response()));
    if !access.is_known(headers) {
        return refuse(StatusCode::MISDIRECTED_REQUEST, UNKNOWN_NAME);
    }
    if is_reading(request)
        && let Some((token, location)) = access.without_token(request.uri())
    {
        // Store the token in a cookie and redirect, so that the address does not show the token.
        let cookie = cookie(headers);
        let cookie = format!("{cookie}={token}; Path=/; HttpOnly; SameSite=Lax");
        let headers = [(header::SET_COOKIE, cookie), (header::LOCATION, location)];
        let redirect = (StatusCode::SEE_OTHER, headers, Body::empty());
        return Err(Box::new(redirect.into_response()));
    }
    let of_table = TABLES.iter().find_map(|begin| path.strip_prefix(begin));
    let key = of_table.and_then(|rest| rest.split('/').next());
    let guest = key.and_then(|key| site.tables.find(key));
    let guest = guest.map(|_| Owner::Guest);
    let owner = guest.or_else(|| access.of_cookie(headers));
    // Static files reveal nothing, so they need no token.
    if owner.is_none() && !path.starts_with(STATIC) {
        return refuse(
            StatusCode::UNAUTHORIZED,
            if of_table.is_some() { OVER } else { NO_TOKEN },
        );
    }
    if owner == Some(Owner::Viewer) && (!is_reading(request) || path.starts_with(PLAY)) {
        return refuse(StatusCode::FORBIDDEN, ONLY_WATCHING);
    }
    if !is_reading(request) && !is_own_page(headers) {
        return refuse(StatusCode::FORBIDDEN, ONLY_OWN_PAGES);
    }
    let kind = headers.get(header::CONTENT_TYPE);
    if !is_reading(request) && kind.is_none_or(|kind| kind != "application/json") {
        return refuse(StatusCode::UNSUPPORTED_MEDIA_TYPE, ONLY_JSON);
    }
    Ok(owner)
}

/// Returns `true` if the request comes from a page of this server.
fn is_own_page(headers: &HeaderMap) -> bool {
    let text = |name| headers.get::<HeaderName>(name)?.to_str().ok();
    let origin = text(header::ORIGIN).and_then(|origin| origin.strip_prefix("http://"));
    origin.is_some() && origin == text(header::HOST)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(host: &str, address: &str) -> Access {
        let token = "right".into();
        let view_token = Some("view".into());
        let address = address.parse().unwrap();
        Access {
            token,
            view_token,
            host: host.into(),
            address,
        }
    }

    fn is_known(access: &Access, host: &'static str) -> bool {
        access.is_known(&HeaderMap::from_iter([(
            header::HOST,
            HeaderValue::from_static(host),
        )]))
    }

    #[test]
    fn names_that_others_can_lead_here_are_not_known() {
        let loopback = access("127.0.0.1", "127.0.0.1:80");
        for host in [
            "127.0.0.1",
            "127.0.0.1:80",
            "localhost",
            "[::1]:80",
            "127.0.0.2",
            "localhost:8080",
            "127.0.0.1:81",
        ] {
            assert!(is_known(&loopback, host), "{host}");
        }
        for host in [
            "127.evil.example",
            "127.0.0.1.evil.example",
            "evil.example",
            "localhost.evil.example",
            "192.168.0.1",
            "",
            "a b",
        ] {
            assert!(!is_known(&loopback, host), "{host}");
        }
        let named = access("Arena.local", "192.168.0.7:4270");
        assert!(is_known(&named, "arena.local:4270") && is_known(&named, "192.168.0.7:4270"));
        assert!(!is_known(&named, "other.local:4270"));
    }

    #[test]
    fn a_token_is_taken_out_of_the_address() {
        let access = access("127.0.0.1", "127.0.0.1:80");
        let of = |address: &str| {
            access
                .without_token(&address.parse().unwrap())
                .map(|(_, location)| location)
        };
        for (address, location) in [
            ("/t/x?token=right", Some("/t/x")),
            ("/t/x?token=view", Some("/t/x")),
            ("/t/a%2Fb?a=1&token=right&b", Some("/t/a%2Fb?a=1&b")),
            ("/t/x?token=0", None),
            ("/t/x", None),
        ] {
            assert_eq!(of(address).as_deref(), location, "{address}");
        }
    }

    #[test]
    fn no_redirect_leads_elsewhere() {
        for path in [
            "//evil.example/a",
            "///evil.example",
            "/%2Fevil.example",
            "/%2f/evil.example",
            "/%5Cevil.example",
            "/%09/evil.example",
        ] {
            assert!(!is_plain(path), "{path}");
        }
        for path in ["/", "/t/a%2Fb", "/t/a//b", "/seat/0"] {
            assert!(is_plain(path), "{path}");
        }
    }

    #[test]
    fn only_own_pages_change_anything() {
        let headers = |origin: &'static str| {
            let all = [(header::HOST, "127.0.0.1:4270"), (header::ORIGIN, origin)];
            HeaderMap::from_iter(all.map(|(name, value)| (name, HeaderValue::from_static(value))))
        };
        assert!(is_own_page(&headers("http://127.0.0.1:4270")));
        for origin in [
            "http://127.0.0.1:4271",
            "http://evil.example",
            "null",
            "",
            "https://127.0.0.1:4270",
        ] {
            assert!(!is_own_page(&headers(origin)), "{origin}");
        }
        assert!(!is_own_page(&HeaderMap::new()));
    }
}
