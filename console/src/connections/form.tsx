import { useState, type FormEvent } from 'react'
import { Problem } from '@/api/problem'
import { authWords, placed } from '@/sources/auth'
import type { AuthMethod, Connection, Source } from '@/api/model'
import { Button } from '@/ui/button'
import { Choice, Field } from '@/ui/field'
import { Failure } from '@/ui/state'
import { useAddConnection, useChangeConnection } from './hooks'

/** The values that a method asks for, each once. */
export function inputsOf(m: AuthMethod | undefined): string[] {
  return [...new Set((m?.placements ?? []).flatMap((p) => p.inputs))]
}

/** Fields for secrets. What is typed is never shown, and only the last characters are later. */
export function Secrets({ inputs, values, onChange, hints }: { inputs: string[]; values: Record<string, string>; onChange: (v: Record<string, string>) => void; hints?: Record<string, string> | undefined }) {
  return inputs.map((name) => (
    <Field
      key={name} label={name} type="password" required={hints === undefined} autoComplete="off" spellCheck={false} value={values[name] ?? ''} onChange={(e) => { onChange({ ...values, [name]: e.target.value }) }}
      {...(hints?.[name] ? { placeholder: `…${hints[name]}` } : {})}
    />
  ))
}

/** Connects a source: by which method, with which values. */
export function ConnectForm({ source, taken, onDone }: { source: Source; taken: string[]; onDone?: () => void }) {
  const usable = source.auth.filter((m) => m.supported)
  const [method, setMethod] = useState(usable[0]?.id ?? '')
  const [name, setName] = useState(() => freeName(taken))
  const [values, setValues] = useState<Record<string, string>>({})
  const [baseUrl, setBaseUrl] = useState('')
  const [key, setKey] = useState(() => crypto.randomUUID())
  const add = useAddConnection()
  const m = usable.find((x) => x.id === method)
  const needsBase = source.needsBase === true && !source.baseUrl
  const wrong = (field: string) => (add.error instanceof Problem ? add.error.fields.find((f) => f.location === `body.${field}`)?.message : undefined)
  const inputs = inputsOf(m)
  const submit = (e: FormEvent) => {
    e.preventDefault()
    add.mutate({ key, body: { source: source.slug, name, method, values: Object.fromEntries(inputs.map((i) => [i, values[i] ?? ''])), ...(baseUrl ? { baseUrl } : {}) } }, {
      onSuccess: () => { setValues({}); setKey(crypto.randomUUID()); setName(freeName([...taken, name])); onDone?.() },
      onError: (err) => { if (err instanceof Problem && err.status >= 400) setKey(crypto.randomUUID()) },
    })
  }
  if (usable.length === 0) return <p className="text-sm text-wait">None of the ways to be let in that {source.name} describes can be used yet.</p>
  return (
    <form onSubmit={submit} className="space-y-4">
      <div className="grid gap-4 sm:grid-cols-2">
        <Choice label="Method" value={method} onChange={setMethod} options={usable.map((x) => [x.id, [authWords[x.kind] ?? x.kind, placed(x)].filter(Boolean).join(': ')])} hint={m?.reason} />
        <Field label="Name" required pattern="[a-z][a-z0-9_]{0,39}" title="Small letters, digits and underscores; a letter first" spellCheck={false} value={name} onChange={(e) => { setName(e.target.value) }} error={wrong('name')} hint={<>Its tools begin with <span className="font-mono">{source.slug}.{name || '…'}.</span></>} />
        <Secrets inputs={inputs} values={values} onChange={setValues} />
        <Field label="Base URL" type="url" required={needsBase} spellCheck={false} placeholder={source.baseUrl ?? 'as described'} value={baseUrl} onChange={(e) => { setBaseUrl(e.target.value) }} error={wrong('baseUrl')} />
      </div>
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
