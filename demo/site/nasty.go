package site

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// nasty adds pages that misbehave:
//
//	/never      does not answer until the visitor leaves         /slow?ms=N  answers after N ms, at most 20 s
//	/to?u=URL   redirects there, wherever that is                 /frame?u=URL  shows URL in a frame
//	/popup      "Apply" opens a tab at once, "Info" one later     /captcha    a visible reCAPTCHA frame
//	/readonly   a search by GET beside a form that deletes        /dialog     alert, confirm, unsaved changes
//	/echo       shows what is typed, in the open                  /freeze     a button that never comes back
//	/file       a download                                        /upload     a button in front of a hidden file field
//	/mask       a field that formats while keys are pressed       /chat       Enter sends, without a form
func (s *Site) nasty() {
	s.mux.HandleFunc("GET /never", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	s.mux.HandleFunc("GET /slow", func(w http.ResponseWriter, r *http.Request) {
		ms, _ := strconv.Atoi(r.FormValue("ms"))
		select {
		case <-r.Context().Done():
		case <-time.After(time.Duration(min(ms, 20_000)) * time.Millisecond):
			page(w, "Slow", "<p>Here at last.</p>")
		}
	})
	s.mux.HandleFunc("GET /to", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", r.FormValue("u"))
		w.WriteHeader(http.StatusFound)
	})
	s.mux.HandleFunc("GET /frame", func(w http.ResponseWriter, r *http.Request) {
		render(w, http.StatusOK, "frame.html", view{Title: "Frame", Reference: r.FormValue("u")})
	})
	s.mux.HandleFunc("POST /delete", func(w http.ResponseWriter, _ *http.Request) { page(w, "Deleted", "<p>Everything is gone.</p>") })
	s.mux.HandleFunc("GET /search", func(w http.ResponseWriter, _ *http.Request) { page(w, "Results", "<p>Nothing found.</p>") })
	s.mux.HandleFunc("GET /file", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", `attachment; filename="../price list.csv"`)
		_, _ = io.WriteString(w, "item,price\nday pass,12\n")
	})
	for path, body := range nastyPages {
		s.mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) { page(w, path[1:], body) })
	}
}

func page(w http.ResponseWriter, title, body string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = fmt.Fprintf(w, "<!doctype html><html lang=en><meta charset=utf-8><link rel=stylesheet href=/style.css><title>%s</title><main><h1>%s</h1>%s</main></html>", title, title, body)
}

var nastyPages = map[string]string{
	"/p2": `<p>The page behind Apply.</p>`,
	"/ad": `<p>Buy now.</p>`,
	"/popup": `<p><a href="/p2" target=_blank>Apply</a> <button onclick="setTimeout(()=>window.open('/ad'),200)">Info</button>
		<button onclick="window.open('/p2');setTimeout(()=>window.open('/ad'),250)">Both</button></p>`,
	"/captcha": `<iframe title=reCAPTCHA width=304 height=78 src="https://www.google.com/recaptcha/api2/anchor?k=demo&size=normal"></iframe>
		<textarea name=g-recaptcha-response style="display:none"></textarea>
		<button onclick="document.querySelector('textarea').value='solved'">Solve</button>`,
	"/badge": `<div class=grecaptcha-badge><iframe title=reCAPTCHA width=256 height=60 src="https://www.google.com/recaptcha/api2/anchor?k=demo&size=invisible"></iframe></div>`,
	"/robot": `<p>Please confirm: I am not a robot.</p>`,
	"/readonly": `<form action=/search><label>Search <input type=search name=q></label><button>Search</button></form>
		<form action=/delete method=post><label>Reason <input name=reason></label><input type=hidden name=csrf_token value=abc123>
		<label>PIN <input type=password name=pin></label><button>Go</button></form>
		<button id=pub onclick="document.title='published'">Publish</button> <button id=blank onclick="document.title='blank pressed'"></button>
		<form action=/delete method=post><label>Name <input name=n></label><button>Next</button></form>
		<label>Fruit <input id=fruit role=combobox aria-expanded=false onkeydown="if(event.key=='Enter')document.title='picked'"></label>`,
	"/dialog": `<button onclick="alert('Mind the gap')">Tell</button> <button onclick="document.title=confirm('Really?')?'yes':'no'">Ask</button>
		<label>Draft <input oninput="onbeforeunload=e=>e.preventDefault()"></label> <a href=/p2>Leave</a>`,
	"/echo": `<label>Code <input oninput="out.textContent='You typed '+value;document.title=value;history.replaceState(0,'','#'+encodeURIComponent(value))"></label>
		<p id=out></p>`,
	"/freeze": `<button onclick="for(;;);">Freeze</button>`,
	"/upload": `<input type=file id=f style="display:none" onchange="out.textContent=this.files[0].name+' '+this.files[0].size">
		<button onclick="f.click()">Choose a file</button><label>Photo <input type=file onchange="out.textContent='photo '+this.files[0].name"></label><p id=out></p>`,
	"/mask": `<label>Card <input id=c></label><script>
		c.addEventListener("input",e=>{if(e.data&&e.data.length>1)c.value=""});
		c.addEventListener("keyup",()=>{const d=c.value.replace(/\D/g,"");c.value=d.replace(/(....)(?=.)/g,"$1 ")})</script>`,
	"/chat":  `<div contenteditable=true role=textbox aria-label=Message onkeydown="if(event.key=='Enter'&&!event.shiftKey){event.preventDefault();document.title='sent '+innerText}"></div>`,
	"/moved": `<p>Never read again.</p><script>document.title="moved";setTimeout(()=>location.replace("/p2"),50)</script>`,
	"/closed": `<button disabled>Send</button><label>Fixed <input readonly value=x></label><label>Size <select><option value=s>Small<option value=l>Large<option disabled>Huge</select></label>
		<p style="margin-top:2000px"><button onclick="document.title='low'">Low</button></p>`,
}
