package run

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// pictureLife is how long a picture's URL is good.
const pictureLife = 5 * time.Minute

var pictureName = regexp.MustCompile(`^(\d{1,6})(?:\.jpg)?$`)

// Picture signs a URL of a step's picture. The name is the step's number, with or without .jpg.
func (s *Service) Picture(ctx context.Context, uid pags.UserID, id pags.RunID, name string) (port.Presigned, error) {
	if _, err := s.Get(ctx, uid, id); err != nil {
		return port.Presigned{}, err
	}
	m := pictureName.FindStringSubmatch(name)
	if m == nil {
		return port.Presigned{}, pags.Errorf(pags.NotFound, "there is no picture %q; pictures are named by their step, such as 3.jpg", firstRunes(name, 40))
	}
	step, _ := strconv.Atoi(m[1]) // six digits at most
	key := fmt.Sprintf("runs/%s/%d/shot.jpg", id, step)
	if _, err := s.Blobs.Head(ctx, key); err != nil {
		if pags.Is(err, pags.NotFound) {
			return port.Presigned{}, pags.Errorf(pags.NotFound, "step %d has no picture", step)
		}
		return port.Presigned{}, fmt.Errorf("look for a picture: %w", err)
	}
	return s.Blobs.PresignGet(ctx, key, pictureLife)
}
