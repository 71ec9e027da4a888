import { Link } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'
import { Problem } from '@/api/problem'
import type { Found, Preview, SourceDraft } from '@/api/model'
import { Button } from '@/ui/button'
import { cn } from '@/ui/cn'
import { Area, Field } from '@/ui/field'
import { Page, Panel } from '@/ui/page'
import { Pill } from '@/ui/pill'
import { Failure } from '@/ui/state'
import { usePreview } from './hooks'
import { around, badPlace } from './place'
import { PreviewPanel } from './preview'

type How = 'url' | 'document'

/** Adds a source: look at it first, then save it. Nothing is kept before. */
export function AddSource({ url: given, onUrl }: { url: string; onUrl: (url: string) => void }) {
  const [how, setHow] = useState<How>('url')
  const [url, setUrl] = useState(given)
  const [text, setText] = useState('')
  const look = usePreview()
  const body = (at?: string): SourceDraft => (how === 'url' ? { url: (at ?? url).trim() } : { document: text })
  const submit = (e: FormEvent) => {
    e.preventDefault()
    if (how === 'url') onUrl(url.trim())
    look.mutate(body())
  }
  const place = how === 'document' ? badPlace(look.error) : undefined
  const fresh = look.data && look.variables && (how === 'url' ? look.variables.url === url.trim() : look.variables.document === text)
  return (
    <Page title="Add a source" hint="An API that describes itself, as OpenAPI 3 or Swagger 2, in JSON or YAML. You see what it brings before anything is saved." trail={<Link to="/sources" className="hover:text-ink">Sources</Link>}>
      <Panel className="p-4 sm:p-5">
        <form onSubmit={submit} className="space-y-4">
          <div role="group" aria-label="Where it is" className="flex flex-wrap gap-1.5">
            {([['url', 'From an address'], ['document', 'Paste the description']] as const).map(([v, label]) => (
              <button key={v} type="button" aria-pressed={how === v} onClick={() => { setHow(v); look.reset() }} className={cn('min-h-7 rounded-full border px-3 text-xs', how === v ? 'border-transparent bg-ink text-bg' : 'border-line text-ink-2 hover:border-line-strong hover:text-ink')}>{label}</button>
            ))}
          </div>
          {how === 'url' ? <Field label="Address" type="url" required placeholder="https://api.example.com/openapi.json" hint="Of the description, or of the API: its usual places are looked at." value={url} onChange={(e) => { setUrl(e.target.value) }} spellCheck={false} />
            : (
              <div className={cn('grid gap-4', place && 'lg:grid-cols-2')}>
                <Area label="Description" required rows={14} mono value={text} onChange={setText} error={place ? `Line ${place.line.toString()} cannot be read` : undefined} />
                {place ? <Broken text={text} {...place} /> : null}
              </div>
            )}
          {look.error && !place ? <LookFailure error={look.error} /> : null}
          <Button type="submit" look={fresh ? 'plain' : 'primary'} busy={look.isPending}>{fresh ? 'Look again' : 'Preview'}</Button>
        </form>
      </Panel>
      {look.data && !look.isPending ? <Outcome found={look.data.found} preview={look.data.preview} draft={body(look.data.url)} busy={look.isPending} onPick={(f) => { look.mutate({ url: f.specUrl ?? url.trim() }) }} /> : null}
    </Page>
  )
}

function LookFailure({ error }: { error: Error }) {
  if (error.message.toLowerCase().includes('address not allowed')) return <Failure error={error} safe="Nothing was saved. An API on your own machine or network is reached once the host is started with: pags serve --allow-host HOST:PORT" />
  return <Failure error={error} safe={error instanceof Problem && error.status === 403 ? 'Addresses inside of private networks are not asked.' : 'Nothing was saved.'} />
}

/** What is wrong with a pasted document, beside it: the line and the reason. */
function Broken({ text, line, column, reason }: { text: string; line: number; column?: number; reason: string }) {
  return (
    <div role="alert" className="min-w-0 self-start rounded-lg border border-bad/30 bg-bad-soft p-3 text-sm lg:mt-6">
      <p className="font-medium break-words text-bad">{reason}</p>
      <pre className="mt-2 overflow-hidden font-mono text-xs leading-5">
        {around(text, line).map((l) => (
          <span key={l.number} className={cn('flex', l.number === line && 'font-semibold')}>
            <span className="w-9 shrink-0 pr-2 text-right text-ink-2">{l.number}</span>
            <span className="min-w-0 break-words whitespace-pre-wrap">{l.text || ' '}</span>
          </span>
        ))}
      </pre>
      <p className="mt-2 text-xs">Line {line}{column ? `, column ${column.toString()}` : ''}. Nothing was saved.</p>
    </div>
  )
}

function Outcome({ found, preview, draft, onPick, busy }: { found: Found[]; preview: Preview | undefined; draft: SourceDraft; onPick: (f: Found) => void; busy: boolean }) {
  if (preview) return <PreviewPanel key={JSON.stringify([draft.url, preview.namespace, preview.tools])} preview={preview} draft={draft} />
  if (found.length === 0) return <p role="status" className="mt-6 rounded-lg bg-hover px-4 py-3 text-sm">No description was found there. Give the address of the description itself, or paste it.</p>
  return (
    <section aria-labelledby="found" className="mt-8">
      <h2 id="found" className="mb-2 font-semibold">{found.some((f) => f.kind === 'openapi') ? 'Found there' : 'No description was found there'}</h2>
      <Panel className="divide-y divide-line">
        {found.map((f, i) => (
          <div key={i} className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2.5">
            <span className="min-w-0 flex-1 basis-56"><span className="block truncate font-medium">{f.name || f.endpoint}</span><span className="block truncate font-mono text-xs text-ink-2">{f.specUrl ?? f.endpoint}</span></span>
            <Pill>{f.kind === 'openapi' ? `${f.tools.toLocaleString()} operations` : 'cannot be added'}</Pill>
            {f.kind === 'openapi' ? <Button size="small" busy={busy} onClick={() => { onPick(f) }}>Preview</Button> : null}
            {f.warnings && f.warnings.length > 0 ? <ul className="basis-full space-y-0.5 text-sm text-wait">{f.warnings.map((w, j) => <li key={j} className="break-words">{w.message.charAt(0).toUpperCase() + w.message.slice(1)}{w.line ? ` (line ${w.line.toString()})` : ''}</li>)}</ul> : null}
          </div>
        ))}
      </Panel>
    </section>
  )
}
