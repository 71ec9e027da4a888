package relay

import (
	"regexp"
	"strings"
	"sync"
)

// The words by which a control says that it commits something (spec platform 5.4). Both the cloud and the runner test an
// element's real name and the name that the model claimed; the runner also looks at the form behind it. A list is no proof
// of harmlessness, so a control that these words miss still meets the runner's probe.

// finalWords name the last step of a form: pressing it sends the whole thing.
var finalWords = []string{
	// English
	`submit`, `send (?:application|form|request|order|enquiry|inquiry)`, `apply now`, `finish(?: and \w+)?`, `complete(?: \w+)?`,
	`place (?:\w+ )?order`, `(?:confirm|review) and (?:pay|submit|send|order|book)`, `(?:buy|pay|order|book|checkout|check out)(?: \w+)?`,
	// German
	`absenden`, `abschicken`, `einreichen`, `jetzt (?:kaufen|bewerben|buchen|bestellen|bezahlen)`, `(?:zahlungspflichtig |kostenpflichtig )?bestellen`,
	`bezahlen`, `bewerbung (?:absenden|senden|abschicken)`, `kaufen`,
	// French
	`soumettre`, `envoyer (?:la |ma |le )?(?:candidature|demande|formulaire|commande)`, `postuler`, `valider (?:la |ma )?commande`, `commander`, `payer`, `acheter`,
	// Spanish
	`enviar (?:la |mi |el )?(?:solicitud|formulario|pedido|candidatura)`, `finalizar(?: \w+)?`, `realizar (?:el )?pedido`, `pagar`, `comprar`, `postularme`,
	// Italian
	`invia (?:la )?(?:candidatura|richiesta|domanda|modulo|ordine)`, `candidati`, `acquista`, `paga(?: ora)?`, `ordina`, `concludi(?: \w+)?`,
	// Portuguese
	`submeter`, `enviar (?:a )?(?:candidatura|inscrição|pedido)`, `finalizar compra`, `concluir(?: \w+)?`, `candidatar-se`,
	// Dutch
	`indienen`, `verzend(?:en)? (?:sollicitatie|formulier)`, `solliciteer(?: nu)?`, `bestelling plaatsen`, `betalen`, `afrekenen`, `kopen`,
	// Polish
	`wyślij (?:zgłoszenie|formularz|aplikację)`, `aplikuj`, `złóż (?:zamówienie|wniosek)`, `zapłać`, `kup(?: teraz)?`, `zamawiam`,
	// Czech, Swedish, Danish and Norwegian, Finnish, Turkish
	`odeslat`, `objednat`, `zaplatit`, `skicka in`, `slutför`, `betala`, `köp`, `indsend`, `send inn`, `betal`, `lähetä hakemus`, `maksa`, `tilaa`,
	`gönder`, `satın al`, `öde`, `başvur`,
	// Russian, Ukrainian
	`отправить (?:заявку|форму|отклик)`, `оформить заказ`, `оплатить`, `купить`, `надіслати`, `сплатити`, `замовити`,
}

// widerWords name anything that changes something outside the page.
var widerWords = []string{
	// English
	`send`, `post`, `publish`, `confirm`, `delete`, `remove`, `save(?: \w+)?`, `apply`, `reserve`, `register`, `sign up`, `create (?:\w+ )?(?:account|profile|\w+)`,
	`subscribe`, `unsubscribe`, `transfer`, `withdraw`, `donate`, `enroll?`, `join`, `cancel (?:\w+ )?(?:subscription|order|booking|reservation|account|membership)`,
	`deactivate`, `close account`, `update`, `approve`, `reject`, `revoke`, `invite`, `share`, `follow`, `vote`, `sign (?:and|document|contract)`, `authori[sz]e`,
	`accept (?:offer|invitation|contract|order)`, `place bid`, `bid`, `deploy`, `merge`,
	// German
	`senden`, `veröffentlichen`, `posten`, `bestätigen`, `löschen`, `entfernen`, `speichern`, `bewerben`, `buchen`, `reservieren`, `registrieren`, `konto (?:erstellen|anlegen)`,
	`abonnieren`, `abbestellen`, `kündigen`, `stornieren`, `überweisen`, `spenden`, `anmelden und \w+`, `teilen`, `unterschreiben`, `freigeben`, `zustimmen und \w+`,
	// French
	`envoyer`, `publier`, `confirmer`, `supprimer`, `enregistrer`, `réserver`, `s.inscrire`, `créer (?:un |mon )?compte`, `s.abonner`, `se désabonner`, `résilier`, `virer`, `valider`, `partager`, `signer`,
	// Spanish
	`enviar`, `publicar`, `confirmar`, `eliminar`, `borrar`, `guardar`, `reservar`, `registrarse`, `crear cuenta`, `suscribirse`, `transferir`, `aceptar oferta`, `compartir`, `firmar`,
	// Italian
	`invia`, `pubblica`, `conferma`, `elimina`, `salva`, `prenota`, `registrati`, `crea (?:un )?account`, `iscriviti`, `disdici`, `trasferisci`, `condividi`, `firma`,
	// Portuguese
	`excluir`, `apagar`, `salvar`, `inscrever-se`, `criar conta`, `assinar`, `partilhar`, `compartilhar`,
	// Dutch
	`verzenden`, `versturen`, `plaatsen`, `publiceren`, `bevestigen`, `verwijderen`, `opslaan`, `reserveren`, `boeken`, `registreren`, `account aanmaken`, `abonneren`, `opzeggen`, `overmaken`, `ondertekenen`,
	// Polish
	`wyślij`, `opublikuj`, `potwierdź`, `usuń`, `zapisz`, `zarezerwuj`, `zarejestruj`, `załóż konto`, `subskrybuj`, `anuluj (?:zamówienie|subskrypcję)`, `przelej`, `podpisz`,
	// Czech, Swedish, Danish and Norwegian, Finnish, Turkish
	`odeslání`, `potvrdit`, `smazat`, `uložit`, `skicka`, `bekräfta`, `radera`, `spara`, `boka`, `bekræft`, `bekreft`, `slet`, `slett`, `gem`, `lagre`, `lähetä`, `vahvista`, `poista`, `tallenna`, `onayla`, `sil`, `kaydet`,
	// Russian, Ukrainian
	`отправить`, `опубликовать`, `подтвердить`, `удалить`, `сохранить`, `зарегистрироваться`, `забронировать`, `подписаться`, `перевести`, `підтвердити`, `видалити`, `зберегти`,
}

// Scripts without spaces between words are looked for anywhere in the name.
var (
	finalMarks = []string{`提交`, `提出`, `送信`, `応募`, `購入`, `注文を確定`, `注文する`, `支払`, `予約する`, `下单`, `下單`, `付款`, `支付`, `购买`, `購買`, `申请`, `申請する`, `제출`, `결제`, `구매`, `주문하기`, `지원하기`, `إرسال الطلب`, `ادفع`, `شراء`, `שלח טופס`, `לתשלום`, `ส่งใบสมัคร`, `ชำระเงิน`, `सबमिट`, `भुगतान`}
	widerMarks = []string{`发送`, `發送`, `发布`, `發佈`, `確認`, `确认`, `確定`, `确定`, `删除`, `刪除`, `削除`, `保存`, `儲存`, `登録`, `注册`, `註冊`, `公開`, `投稿`, `전송`, `보내기`, `게시`, `확인`, `삭제`, `저장`, `가입`, `إرسال`, `تأكيد`, `حذف`, `حفظ`, `שלח`, `אישור`, `מחק`, `שמור`, `ส่ง`, `ยืนยัน`, `ลบ`, `บันทึก`, `भेजें`, `पुष्टि`, `हटाएं`, `सहेजें`}
)

func pattern(words, marks []string) string {
	return `(?:^|[^\p{L}\p{N}])(?:` + strings.Join(words, "|") + `)(?:$|[^\p{L}\p{N}])|` + strings.Join(marks, "|")
}

var (
	finalPattern = pattern(finalWords, finalMarks)
	widerPattern = pattern(append(append([]string{}, finalWords...), widerWords...), append(append([]string{}, finalMarks...), widerMarks...))
	// Compiled when first asked for: every command of the binary and every function would pay for it otherwise.
	finalRE = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)` + finalPattern) })
	widerRE = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)` + widerPattern) })
)

// CommitPattern is the source of the wide list as a regular expression that Go's regexp and a browser's RegExp (flags "iu")
// read alike; test it against PlainName.
func CommitPattern() string { return widerPattern }

// CommitWord reports whether a control with this name would commit something under the guard mode: every mode uses the wide
// list, GuardNone commits nothing. A mode that we do not know gets the wide list as well.
func CommitWord(name, mode string) bool {
	return mode != GuardNone && widerRE().MatchString(PlainName(name))
}

// FinalWord reports whether the name is that of a form's last step. A dry run stops there.
func FinalWord(name string) bool { return finalRE().MatchString(PlainName(name)) }

// PlainName removes what hides a word from the lists: case, invisible characters, full-width letters, repeated space.
func PlainName(name string) string {
	plain := strings.Map(func(r rune) rune {
		switch {
		case r == 0xAD || r >= 0x200B && r <= 0x200F || r >= 0x202A && r <= 0x202E || r >= 0x2060 && r <= 0x2064 || r == 0xFEFF:
			return -1 // soft hyphen, zero-width and direction marks
		case r >= 0xFF01 && r <= 0xFF5E:
			return r - 0xFEE0 // full-width ASCII
		}
		return r
	}, name)
	return strings.ToLower(strings.Join(strings.Fields(plain), " "))
}
