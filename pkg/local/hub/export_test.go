package hub

// Has reports whether a connection can be posted to.
func (h *Hub) Has(id string) bool { return h.find(id) != nil }
