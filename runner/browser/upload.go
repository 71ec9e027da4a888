package browser

//lint:file-ignore SA1019 an element handle is the very element that was judged; a locator would look for it anew

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/mxschmitt/playwright-go"

	"github.com/proagentstore/pags/pkg/relay"
)

// maxUpload is what Playwright takes as bytes (50 MB); our files are smaller.
const maxUpload = 50 << 20

// upload gives a file to a file field, or to the chooser that a button opens.
func (a *action) upload() relay.Result {
	if a.cmd.File == nil {
		return failed("upload needs a file")
	}
	t, no := a.find(true)
	if no != nil {
		return *no
	}
	if a.cmd.Guard == relay.GuardReadOnly {
		return refused("this agent may only read: no file is given to a page")
	}
	body, err := fetch(a.ctx, *a.cmd.File)
	if err != nil {
		if a.ctx.Err() != nil {
			return cancelled()
		}
		return failed("the file “%s” could not be had: %s", a.cmd.File.Name, err)
	}
	file := []playwright.InputFile{{Name: fileName(a.cmd.File.Name), MimeType: a.cmd.File.ContentType, Buffer: body}}
	input, err := t.handle.EvaluateHandle(`e => {
		const file = x => x && x.tagName === "INPUT" && x.type === "file" ? x : null;
		return file(e) || file(e.control) || file(e.closest("label") && e.closest("label").control) || e.querySelector("input[type=file]");
	}`)
	if err != nil {
		return failed("%s could not be looked at: %s", t.title(), reason(err))
	}
	if field := input.AsElement(); field != nil {
		a.begun = true
		if err := field.SetInputFiles(file, playwright.ElementHandleSetInputFilesOptions{Timeout: playwright.Float(10000)}); err != nil {
			return failed("%s did not take the file: %s", t.title(), reason(err))
		}
		a.still(a.tab, stillAfterField)
		if back, err := a.readback(field); err == nil && back.Message != "" {
			return ok("“" + file[0].Name + "” is chosen" + invalid(back.Message))
		}
		return ok("“" + file[0].Name + "” is chosen")
	}
	if no := a.guard(t.judged(a.cmd.Element)); no != nil {
		return *no
	}
	var pressed *relay.Result
	chooser, err := a.tab.page.ExpectFileChooser(func() error {
		if pressed = a.press(t); pressed != nil {
			return errors.New(pressed.Feedback)
		}
		return nil
	}, playwright.PageExpectFileChooserOptions{Timeout: playwright.Float(4000)})
	switch {
	case pressed != nil:
		return *pressed
	case err != nil:
		return failed("%s was clicked, but no file was asked for", t.title())
	}
	if err := chooser.SetFiles(file); err != nil {
		return failed("%s did not take the file: %s", t.title(), reason(err))
	}
	return ok("“" + file[0].Name + "” is chosen")
}

// fetch gets a file by its signed URL and checks size and checksum.
func fetch(ctx context.Context, f relay.FileRef) ([]byte, error) {
	if f.Size < 0 || f.Size > maxUpload {
		return nil, fmt.Errorf("it is larger than %d MB", maxUpload>>20)
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, f.URL, nil)
	if err != nil || req.URL.Scheme != "https" && req.URL.Scheme != "http" {
		return nil, errors.New("its address is wrong")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, errors.New("the platform does not answer") // the error holds the signed URL
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the platform answered %d", resp.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, f.Size+1))
	if err != nil {
		return nil, errors.New("the transfer broke off")
	}
	if int64(len(body)) != f.Size {
		return nil, errors.New("it has another size than announced")
	}
	if sum := sha256.Sum256(body); !strings.EqualFold(hex.EncodeToString(sum[:]), f.SHA256) {
		return nil, errors.New("its checksum is not the announced one")
	}
	return body, nil
}
