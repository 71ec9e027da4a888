import { useState, type FormEvent } from 'react'
import { Problem } from '@/api/problem'
import type { Connection, Source } from '@/api/model'
import { Button } from '@/ui/button'
import { Area, Choice, Field } from '@/ui/field'
import { Failure } from '@/ui/state'
import { useAddConnection, useChangeConnection } from './hooks'
import { elsewhere, variables, ways } from './ways'

/** Fields for secrets. What is typed is never shown, and only the last characters are later. */
export function Secrets({ inputs, values, onChange, hints }: { inputs: string[]; values: Record<string, string>; onChange: (v: Record<string, string>) => void; hints?: Record<string, string> | undefined }) {
  return inputs.map((name) => (
    <Field
      key={name} label={name} type="password" required={hints === undefined} autoComplete="off" spellCheck={false} value={values[name] ?? ''} onChange={(e) => { onChange({ ...values, [name]: e.target.value }) }}
      {...(hints?.[name] ? { placeholder: `…${hints[name]}` } : {})}
    />
  ))
}

const places: [string, string][] = [['header', 'a header'], ['query', 'a query parameter'], ['cookie', 'a cookie']]

/** Connects a source: by which method, with which values. */
export function ConnectForm({ source, taken, onDone }: { source: Source; taken: string[]; onDone?: () => void }) {
  const all = ways(source.auth)
  const [chosen, setChosen] = useState(all[0]?.id ?? '')
  const [place, setPlace] = useState({ in: 'header', name: '' })
  const [name, setName] = useState(() => freeName(taken))
  const [values, setValues] = useState<Record<string, string>>({})
  const [baseUrl, setBaseUrl] = useState('')
  const [lines, setLines] = useState('')
  const [key, setKey] = useState(() => crypto.randomUUID())
  const add = useAddConnection()
  const way = all.find((w) => w.id === chosen)
  const inputs = way?.inputs ?? []
  const vars = variables(lines)
  const wrong = (field: string) => (add.error instanceof Problem ? add.error.fields.find((f) => f.location === `body.${field}`)?.message : undefined)
  const submit = (e: FormEvent) => {
    e.preventDefault()
    if ('error' in vars) return
    const method = chosen === elsewhere ? `${place.in}:${place.name.trim()}` : chosen
    add.mutate({ key, body: { source: source.slug, name, method, values: Object.fromEntries(inputs.map((i) => [i, values[i] ?? ''])), ...(baseUrl ? { baseUrl } : {}), ...(Object.keys(vars.values).length > 0 ? { variables: vars.values } : {}) } }, {
      onSuccess: () => { setValues({}); setKey(crypto.randomUUID()); setName(freeName([...taken, name])); onDone?.() },
      onError: (err) => { if (err instanceof Problem && err.status >= 400) setKey(crypto.randomUUID()) },
    })
  }
  return (
    <form onSubmit={submit} className="space-y-4">
      <div className="grid gap-4 sm:grid-cols-2">
        <Choice label="Method" value={chosen} onChange={setChosen} options={all.map((w) => [w.id, w.text])} hint={way?.hint} />
        <Field label="Name" required pattern="[a-z][a-z0-9_]{0,39}" title="Small letters, digits and underscores; a letter first" spellCheck={false} value={name} onChange={(e) => { setName(e.target.value) }} error={wrong('name')} hint={<>Its tools begin with <span className="font-mono">{source.slug}.{name || '…'}.</span></>} />
        {chosen === elsewhere ? (
          <>
            <Choice label="It goes into" value={place.in} onChange={(v) => { setPlace({ ...place, in: v }) }} options={places} />
            <Field label="Called" required spellCheck={false} placeholder={place.in === 'header' ? 'X-Api-Key' : 'api_key'} value={place.name} onChange={(e) => { setPlace({ ...place, name: e.target.value }) }} />
          </>
        ) : null}
        <Secrets inputs={inputs} values={values} onChange={setValues} />
        <Field label="Base URL" type="url" required={source.needsBase && !source.baseUrl} spellCheck={false} placeholder={source.baseUrl ?? 'as described'} value={baseUrl} onChange={(e) => { setBaseUrl(e.target.value) }} error={wrong('baseUrl')} />
      </div>
      <details>
        <summary className="text-xs text-ink-2 hover:text-ink">Variables of its addresses</summary>
        <div className="mt-2 sm:max-w-[calc(50%-0.5rem)]"><Area label="Variables" mono rows={2} value={lines} onChange={setLines} error={'error' in vars ? vars.error : undefined} hint="Where an address has {names}: name=value, one a line." /></div>
      </details>
      {add.error && !wrong('name') && !wrong('baseUrl') ? <Failure error={add.error} safe="No connection was made." /> : null}
      <div className="flex flex-wrap items-center gap-3">
        <Button type="submit" look="primary" busy={add.isPending}>Connect</Button>
        <p role="status" className="text-sm text-ok">{add.data ? `Connected as ${add.data.namespace}.` : ''}</p>
      </div>
    </form>
  )
}

function freeName(taken: string[]): string {
  for (let i = 1; ; i++) {
    const name = i === 1 ? 'main' : `main${i.toString()}`
    if (!taken.includes(name)) return name
  }
}

/** Puts new values in place of those that are stored; fields left empty keep theirs. */
export function ReplaceForm({ c, onDone }: { c: Connection; onDone: () => void }) {
  const [values, setValues] = useState<Record<string, string>>({})
  const [baseUrl, setBaseUrl] = useState(c.baseUrl ?? '')
  const change = useChangeConnection(c)
  const given = Object.fromEntries(Object.entries(values).filter(([, v]) => v !== ''))
  const submit = (e: FormEvent) => {
    e.preventDefault()
    change.mutate({ ...(Object.keys(given).length > 0 ? { values: given } : {}), ...(baseUrl !== (c.baseUrl ?? '') ? { baseUrl } : {}) }, { onSuccess: onDone })
  }
  return (
    <form onSubmit={submit} aria-label={`Replace values of ${c.namespace}`} className="mt-3 space-y-3 border-t border-line pt-3">
      <div className="grid gap-4 sm:grid-cols-2">
        <Secrets inputs={c.inputs} values={values} onChange={setValues} hints={c.hints} />
        <Field label="Base URL" type="url" spellCheck={false} placeholder="as described" value={baseUrl} onChange={(e) => { setBaseUrl(e.target.value) }} />
      </div>
      {change.error ? <Failure error={change.error} safe="The values stored before are unchanged." /> : null}
      <div className="flex gap-2">
        <Button type="submit" look="primary" size="small" busy={change.isPending} disabled={Object.keys(given).length === 0 && baseUrl === (c.baseUrl ?? '')}>Replace</Button>
        <Button size="small" look="quiet" onClick={onDone}>Leave as it is</Button>
      </div>
    </form>
  )
}
