package serve

import (
	"context"
	"net/http"
)

// warming has a worker made ready as soon as somebody comes near tools: on a new folder its sandbox compiles first, which takes
// about half a second that the first program need not wait for.
func (h *host) warming(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.warmed.Do(func() {
			go func() { // ends with the workers
				if err := h.programs.Warm(h.life); err != nil && h.life.Err() == nil {
					h.log.WarnContext(context.Background(), "no worker is ready for programs; the first one makes it", "error", err.Error())
				}
			}()
		})
		next.ServeHTTP(w, r)
	})
}
