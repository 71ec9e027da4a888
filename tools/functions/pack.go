package main

import (
	"archive/zip"
	"compress/flate"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// pack zips what one function has, as SAM does, readable for everybody: Lambda runs it as another user. The first size is that
// of the bootstrap.
func pack(dir, target string) (binary, packed int64, err error) {
	f, err := os.Create(target)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	z := zip.NewWriter(f)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) })
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		n, err := add(z, filepath.ToSlash(name), path)
		if name == "bootstrap" {
			binary = n
		}
		return err
	})
	if err != nil {
		return 0, 0, err
	}
	if err = z.Close(); err != nil {
		return 0, 0, err
	}
	info, err := f.Stat()
	if err != nil {
		return 0, 0, err
	}
	return binary, info.Size(), nil
}

func add(z *zip.Writer, name, path string) (int64, error) {
	in, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	h := &zip.FileHeader{Name: name, Method: zip.Deflate}
	h.SetMode(0o644)
	if name == "bootstrap" {
		h.SetMode(0o755)
	}
	w, err := z.CreateHeader(h)
	if err != nil {
		return 0, err
	}
	return io.Copy(w, in)
}
