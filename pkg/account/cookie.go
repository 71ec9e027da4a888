package account

import (
	"net/url"

	"github.com/proagentstore/pags/pkg/pags"
)

// Site is what a browser says about who makes a request.
type Site struct {
	Fetch  string `header:"Sec-Fetch-Site" doc:"set by browsers"`
	Origin string `header:"Origin" doc:"set by browsers"`
}

// foreign reports whether a browser says that another site's page makes the request.
func (s *Service) foreign(from Site) bool {
	if from.Fetch != "" {
		return from.Fetch != "same-origin" && from.Fetch != "none"
	}
	return from.Origin != "" && from.Origin != originOf(s.PublicURL)
}

// own reports whether our own page makes the request: what a cookie alone may do needs it, because cookies travel with
// requests that other pages cause.
func (s *Service) own(from Site) error {
	if from.Fetch == "same-origin" || from.Fetch == "" && from.Origin != "" && from.Origin == originOf(s.PublicURL) {
		return nil
	}
	return pags.Errorf(pags.Forbidden, "the sign-in cookie works only from %s itself; send the refresh token in the body instead", originOf(s.PublicURL))
}

func originOf(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}
