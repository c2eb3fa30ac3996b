//! Which part of the service a request is for.

/// Where the types of problems lead.
pub(crate) const PROBLEMS: &str = "/problems/";

/// A part of the service. Metrics and logs name it by its pattern, never by the path, which may hold an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Route {
    Check,
    Compare,
    Documents,
    Document,
    Clusters,
    Cluster,
    Stats,
    Health,
    Ready,
    Metrics,
    OpenApi,
    Page,
    Unknown,
}

impl Route {
    pub(crate) const ALL: [Self; 13] = [
        Self::Check,
        Self::Compare,
        Self::Documents,
        Self::Document,
        Self::Clusters,
        Self::Cluster,
        Self::Stats,
        Self::Health,
        Self::Ready,
        Self::Metrics,
        Self::OpenApi,
        Self::Page,
        Self::Unknown,
    ];

    /// The part that a path leads to, and what the path has behind it.
    pub(crate) fn find(path: &str) -> (Self, &str) {
        let route = match path {
            "/v1/check" => Self::Check,
            "/v1/compare" => Self::Compare,
            "/v1/documents" => Self::Documents,
            "/v1/clusters" => Self::Clusters,
            "/v1/stats" => Self::Stats,
            "/healthz" => Self::Health,
            "/readyz" => Self::Ready,
            "/metrics" => Self::Metrics,
            "/openapi.json" => Self::OpenApi,
            "/" | "/reference" => return (Self::Page, path),
            _ => return Self::find_rest(path),
        };
        (route, "")
    }

    fn find_rest(path: &str) -> (Self, &str) {
        if path.starts_with("/assets/") || path.starts_with(PROBLEMS) {
            return (Self::Page, path);
        }
        for (start, route) in [
            ("/v1/documents/", Self::Document),
            ("/v1/clusters/", Self::Cluster),
        ] {
            if let Some(rest) = path.strip_prefix(start)
                && !rest.is_empty()
            {
                return (route, rest);
            }
        }
        (Self::Unknown, "")
    }

    /// How it is called in metrics and logs.
    pub(crate) fn pattern(self) -> &'static str {
        match self {
            Self::Check => "/v1/check",
            Self::Compare => "/v1/compare",
            Self::Documents => "/v1/documents",
            Self::Document => "/v1/documents/{id}",
            Self::Clusters => "/v1/clusters",
            Self::Cluster => "/v1/clusters/{cluster}",
            Self::Stats => "/v1/stats",
            Self::Health => "/healthz",
            Self::Ready => "/readyz",
            Self::Metrics => "/metrics",
            Self::OpenApi => "/openapi.json",
            Self::Page => "/",
            Self::Unknown => "other",
        }
    }

    /// The methods it knows.
    pub(crate) fn methods(self) -> &'static str {
        match self {
            Self::Check | Self::Compare => "POST, OPTIONS",
            Self::Documents => "GET, HEAD, POST, DELETE, OPTIONS",
            Self::Document => "GET, HEAD, DELETE, OPTIONS",
            _ => "GET, HEAD, OPTIONS",
        }
    }

    /// Whether it needs no token.
    pub(crate) fn is_public(self) -> bool {
        let open = [Self::Health, Self::Ready, Self::OpenApi, Self::Page];
        open.contains(&self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_to_their_parts() {
        for (path, route, rest) in [
            ("/v1/check", Route::Check, ""),
            ("/v1/check/", Route::Unknown, ""),
            ("/v1/documents/", Route::Unknown, ""),
            ("/v1/documents/a%2Fb/c", Route::Document, "a%2Fb/c"),
            ("/v1/documents/..", Route::Document, ".."),
            ("/v1/clusters/7", Route::Cluster, "7"),
            ("/assets/x.js", Route::Page, "/assets/x.js"),
            ("//", Route::Unknown, ""),
            ("", Route::Unknown, ""),
        ] {
            assert_eq!(Route::find(path), (route, rest), "{path}");
        }
        for (number, route) in Route::ALL.into_iter().enumerate() {
            assert_eq!(route as usize, number);
        }
    }
}
