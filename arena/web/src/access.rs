//! Access: for those who have the token, from pages of this server itself.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use anyhow::Context;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::uri::Authority;
use axum::http::{Method, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use sha2::{Digest, Sha256};

use super::Site;
use super::answer::Problem;
use super::key::random_key;

/// Nothing is loaded from elsewhere, no script runs but those of the server, and no other page may hold this one.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
    form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
/// How the addresses of files and of people's seats begin.
const STATIC: &str = "/static/";
const SEATS: &str = "/seat/";
/// The parameter of the address with the token.
const TOKEN: &str = "token=";

pub struct Access {
    token: String,
    /// The name of the cookie that holds it. Browsers send cookies to all ports of a host.
    cookie: String,
    /// The name that `--host` gave.
    host: String,
    address: SocketAddr,
}

impl Access {
    /// With a new token.
    pub fn new(host: &str, address: SocketAddr) -> anyhow::Result<Self> {
        let token = random_key().context("the system has no random numbers")?;
        Ok(Self { token, cookie: format!("arena_{}", address.port()), host: host.to_owned(), address })
    }

    /// The address to open.
    pub fn link(&self) -> String {
        let mut address = self.address;
        if address.ip().is_unspecified() {
            address.set_ip(Ipv4Addr::LOCALHOST.into());
        }
        format!("http://{address}/?{TOKEN}{}", self.token)
    }

    /// True for a name of this server that no stranger can make point here: an address, `localhost`, or the name that was given.
    fn is_known(&self, headers: &HeaderMap) -> bool {
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
        let Some(authority) = host.and_then(|host| host.parse::<Authority>().ok()) else { return false };
        let name = authority.host();
        let address = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        let is_near = match address {
            Ok(address) => !self.address.ip().is_loopback() || address.is_loopback(),
            Err(_) => name == "localhost" || name.eq_ignore_ascii_case(&self.host),
        };
        is_near && authority.port_u16().unwrap_or(80) == self.address.port()
    }

    fn is_token(&self, text: &str) -> bool {
        // The time that comparing hashes takes does not depend on how much of a guess is right.
        Sha256::digest(text) == Sha256::digest(&self.token)
    }

    fn has_cookie(&self, headers: &HeaderMap) -> bool {
        let all = headers.get_all(header::COOKIE).iter().filter_map(|cookies| cookies.to_str().ok());
        let mut pairs = all.flat_map(|cookies| cookies.split(';')).filter_map(|pair| pair.trim().split_once('='));
        pairs.any(|(name, value)| name == self.cookie && self.is_token(value))
    }

    /// The address without the token, if it has the right one.
    fn without_token(&self, uri: &Uri) -> Option<String> {
        let query = uri.query()?;
        let is_token = |part: &&str| part.strip_prefix(TOKEN).is_some_and(|token| self.is_token(token));
        query.split('&').find(is_token)?;
        let rest: Vec<&str> = query.split('&').filter(|part| !part.starts_with(TOKEN)).collect();
        let path = uri.path();
        Some(if rest.is_empty() { path.to_owned() } else { format!("{path}?{}", rest.join("&")) })
    }
}

/// Lets allowed requests through, and answers the others.
pub async fn guard(State(site): State<Arc<Site>>, request: Request, next: Next) -> Response {
    let mut response = match refusal(&site, &request) {
        None => next.run(request).await,
        Some(refusal) => refusal,
    };
    let fixed = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ];
    for (name, value) in fixed {
        response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}

/// True for what needs no token: the style and the scripts, which show nothing, and the seats of people, whose addresses are keys.
fn is_open(site: &Site, path: &str) -> bool {
    let seat = path.strip_prefix(SEATS).map(|rest| rest.split_once('/').map_or(rest, |(key, _)| key));
    path.starts_with(STATIC) || seat.is_some_and(|key| site.tables.find(key).is_some())
}

/// The answer to a request that is not let through.
fn refusal(site: &Site, request: &Request) -> Option<Response> {
    let (access, headers) = (&site.access, request.headers());
    let refuse = |status, why: &str| Some(Problem(status, why.to_owned()).into_response());
    if !access.is_known(headers) {
        return refuse(StatusCode::MISDIRECTED_REQUEST, "This server is not known by that name (arena serve --host).");
    }
    let is_reading = matches!(*request.method(), Method::GET | Method::HEAD);
    if is_reading && let Some(location) = access.without_token(request.uri()) {
        // The browser then has the token, and goes on to the address without it.
        let cookie = format!("{}={}; Path=/; HttpOnly; SameSite=Lax", access.cookie, access.token);
        let headers = [(header::SET_COOKIE, cookie), (header::LOCATION, location)];
        return Some((StatusCode::SEE_OTHER, headers, Body::empty()).into_response());
    }
    if !is_open(site, request.uri().path()) && !access.has_cookie(headers) {
        let why = "Open the address that `arena serve` has printed: it ends in ?token=… and lets this browser in.";
        return refuse(StatusCode::UNAUTHORIZED, why);
    }
    if !is_reading && !is_own_page(headers) {
        return refuse(StatusCode::FORBIDDEN, "Only pages of this server may change anything.");
    }
    if !is_reading && headers.get(header::CONTENT_TYPE).is_none_or(|kind| kind != "application/json") {
        return refuse(StatusCode::UNSUPPORTED_MEDIA_TYPE, "Only application/json is accepted.");
    }
    None
}

/// True if the request comes from a page of this server.
fn is_own_page(headers: &HeaderMap) -> bool {
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let origin = text(header::ORIGIN).and_then(|origin| origin.strip_prefix("http://"));
    origin.is_some() && origin == text(header::HOST)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(host: &str, address: &str) -> Access {
        Access::new(host, address.parse().unwrap()).unwrap()
    }

    fn is_known(access: &Access, host: &'static str) -> bool {
        access.is_known(&HeaderMap::from_iter([(header::HOST, HeaderValue::from_static(host))]))
    }

    #[test]
    fn names_that_others_can_lead_here_are_not_known() {
        let loopback = access("127.0.0.1", "127.0.0.1:80");
        for host in ["127.0.0.1", "127.0.0.1:80", "localhost", "[::1]:80", "127.0.0.2"] {
            assert!(is_known(&loopback, host), "{host}");
        }
        for host in
            ["127.evil.example", "127.0.0.1.evil.example", "evil.example", "127.0.0.1:81", "192.168.0.1", "", "a b"]
        {
            assert!(!is_known(&loopback, host), "{host}");
        }
        let named = access("Arena.local", "192.168.0.7:4270");
        assert!(is_known(&named, "arena.local:4270") && is_known(&named, "192.168.0.7:4270"));
        assert!(!is_known(&named, "other.local:4270"));
    }

    #[test]
    fn a_token_is_taken_out_of_the_address() {
        let access = access("127.0.0.1", "127.0.0.1:80");
        let of = |query: String| access.without_token(&query.parse().unwrap());
        assert_eq!(of(format!("/t/x?token={}", access.token)), Some("/t/x".into()));
        assert_eq!(of(format!("/t/x?a=1&token={}&b", access.token)), Some("/t/x?a=1&b".into()));
        assert_eq!([of("/t/x?token=0".into()), of("/t/x".into())], [None, None]);
    }

    #[test]
    fn only_own_pages_change_anything() {
        let headers = |origin: &'static str| {
            let all = [(header::HOST, "127.0.0.1:4270"), (header::ORIGIN, origin)];
            HeaderMap::from_iter(all.map(|(name, value)| (name, HeaderValue::from_static(value))))
        };
        assert!(is_own_page(&headers("http://127.0.0.1:4270")));
        for origin in ["http://127.0.0.1:4271", "http://evil.example", "null", "", "https://127.0.0.1:4270"] {
            assert!(!is_own_page(&headers(origin)), "{origin}");
        }
        assert!(!is_own_page(&HeaderMap::new()));
    }
}
