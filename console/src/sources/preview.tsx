import { useNavigate } from '@tanstack/react-router'
import { useMemo, useState, type FormEvent } from 'react'
import { Problem } from '@/api/problem'
import type { Preview, PreviewTool, SourceDraft } from '@/api/model'
import { Risk } from '@/tools/marks'
import { parts } from '@/tools/tree'
import { Button } from '@/ui/button'
import { Field } from '@/ui/field'
import { Fact, Panel } from '@/ui/page'
import { Failure } from '@/ui/state'
import { AuthMethods } from './auth'
import { useAddSource } from './hooks'
import { count } from './row'
import { Warnings } from './warnings'

const slugPattern = '[a-z][a-z0-9_]{0,39}'

/** What an API would bring, and the form that saves it. */
export function PreviewPanel({ preview: p, draft }: { preview: Preview; draft: SourceDraft }) {
  const marks = useMemo(() => ({ read: p.items.filter((t) => t.readOnly).length, destroy: p.items.filter((t) => t.destructive).length }), [p])
  const part = p.items.length < p.tools ? ` of the first ${p.items.length.toString()}` : ''
  return (
    <section aria-labelledby="preview" className="mt-8">
      <h2 id="preview" tabIndex={-1} className="mb-2 font-semibold">What it brings</h2>
      <Panel className="divide-y divide-line">
        <div className="space-y-3 p-4 sm:p-5">
          {p.description ? <p className="line-clamp-3 max-w-prose text-sm text-ink-2">{p.description}</p> : null}
          <dl className="grid grid-cols-2 gap-4 sm:grid-cols-4">
            <Fact name="Format">{p.format}</Fact>
            <Fact name="Version">{p.version ?? 'not said'}</Fact>
            <Fact name="Operations">{p.tools.toLocaleString()}</Fact>
            <Fact name={`Kinds${part}`}>{marks.read} read, {p.items.length - marks.read - marks.destroy} write, {marks.destroy} destructive</Fact>
          </dl>
        </div>
        <SaveForm p={p} draft={draft} />
        <div className="grid gap-6 p-4 sm:grid-cols-2 sm:p-5">
          <div><h3 className="mb-2 text-xs text-ink-2">How one is let in</h3><AuthMethods methods={p.auth} /></div>
          <div>
            <h3 className="mb-2 text-xs text-ink-2">Where calls go</h3>
            {p.servers && p.servers.length > 0 ? <ul className="space-y-1 text-sm">{p.servers.map((s) => <li key={s.url} className="break-words"><span className="font-mono text-xs">{s.url}</span>{s.description ? <span className="block text-xs text-ink-2">{s.description}</span> : null}</li>)}</ul> : <p className="text-sm">It names no server.</p>}
            {p.needsBase ? <p className="mt-2 text-sm text-wait">Some operations have no address. Give a base URL.</p> : null}
          </div>
          {p.warnings && p.warnings.length > 0 ? <div className="sm:col-span-2"><Warnings warnings={p.warnings} open={p.warnings.length <= 5} /></div> : null}
        </div>
        <Operations p={p} />
      </Panel>
    </section>
  )
}

function SaveForm({ p, draft }: { p: Preview; draft: SourceDraft }) {
  const [name, setName] = useState(p.name)
  const [slug, setSlug] = useState(p.namespace)
  const [baseUrl, setBaseUrl] = useState('')
  const [key, setKey] = useState(() => crypto.randomUUID())
  const add = useAddSource()
  const navigate = useNavigate()
  const wrong = (field: string) => (add.error instanceof Problem ? add.error.fields.find((f) => f.location === `body.${field}`)?.message : undefined)
  const submit = (e: FormEvent) => {
    e.preventDefault()
    add.mutate({ key, body: { ...draft, name, slug, ...(baseUrl ? { baseUrl } : {}) } }, {
      onSuccess: (s) => { void navigate({ to: '/sources/$slug', params: { slug: s.slug } }) },
      onError: (err) => { if (err instanceof Problem && err.status >= 400) setKey(crypto.randomUUID()) },
    })
  }
  return (
    <form onSubmit={submit} className="space-y-4 p-4 sm:p-5">
      <div className="grid gap-4 sm:grid-cols-3">
        <Field label="Name" required maxLength={80} value={name} onChange={(e) => { setName(e.target.value) }} error={wrong('name')} />
        <Field label="Slug" required pattern={slugPattern} title="Small letters, digits and underscores; a letter first; at most 40" spellCheck={false} value={slug} onChange={(e) => { setSlug(e.target.value) }} error={wrong('slug')} hint={<>Tools begin with <span className="font-mono">{slug || '…'}.</span></>} />
        <Field label="Base URL" type="url" required={p.needsBase === true} placeholder={p.servers?.[0]?.url ?? 'https://'} spellCheck={false} value={baseUrl} onChange={(e) => { setBaseUrl(e.target.value) }} error={wrong('baseUrl')} hint="Instead of what it says." />
      </div>
      {add.error && !wrong('name') && !wrong('slug') && !wrong('baseUrl') ? <Failure error={add.error} safe="Nothing was saved." /> : null}
      <Button type="submit" look="primary" busy={add.isPending}>Add {count(p.tools, 'tool')}</Button>
    </form>
  )
}

/** The operations by group; of a large API the first ones, and how many each group has. */
function Operations({ p }: { p: Preview }) {
  const groups = useMemo(() => {
    const by = new Map<string, PreviewTool[]>()
    for (const t of p.items) {
      const words = t.path.split('.')
      const g = words.length > 1 ? words.slice(0, -1).join('.') : ''
      by.set(g, [...(by.get(g) ?? []), t])
    }
    return by
  }, [p])
  return (
    <div className="p-4 sm:p-5">
      <h3 className="mb-1 text-xs text-ink-2">Operations</h3>
      <ul className="divide-y divide-line">
        {p.groups.map((g) => {
          const tools = groups.get(g.name) ?? [...groups].find(([k]) => k.endsWith(`.${g.name}`))?.[1] ?? []
          return (
            <li key={g.name}>
              <details open={p.groups.length <= 3}>
                <summary className="flex min-h-8 items-center gap-2 text-sm"><span aria-hidden className="text-ink-2">▸</span><span className="font-medium">{g.name || 'no group'}</span><span className="text-xs text-ink-2 tabular-nums">{g.count}</span></summary>
                <ul className="mb-2 space-y-1 pl-5">
                  {tools.map((t) => (
                    <li key={t.path} className="flex flex-wrap items-center gap-x-3 gap-y-0.5 text-sm sm:flex-nowrap">
                      <span className="w-14 shrink-0 font-mono text-xs text-ink-2">{t.method}</span>
                      <span className="shrink-0 font-mono text-xs">{parts(t.path).leaf}</span>
                      <span className="min-w-0 flex-1 truncate text-xs text-ink-2">{t.title}</span>
                      <Risk readOnly={t.readOnly} destructive={t.destructive} />
                    </li>
                  ))}
                  {tools.length < g.count ? <li className="text-xs text-ink-2">and {(g.count - tools.length).toLocaleString()} more</li> : null}
                </ul>
              </details>
            </li>
          )
        })}
      </ul>
    </div>
  )
}
