import { Send } from 'lucide-react'
import { useMemo, useState, type FormEvent, type ReactNode } from 'react'
import { Button } from '@/ui/button'
import { Area, Check, Choice, Field } from '@/ui/field'
import { contentOf, fieldsOf, type FormField } from './form'
import type { Schema } from '@/tools/schema'

/** A form made from a JSON Schema. It is checked here before it is sent; the host checks again. */
export function SchemaForm({ id, schema, onSend, beside }: { id: string; schema: Schema | undefined; onSend: (content: Record<string, unknown>) => void; beside?: ReactNode }) {
  const fields = useMemo(() => fieldsOf(schema), [schema])
  const [texts, setTexts] = useState<Record<string, string>>({})
  const [errors, setErrors] = useState<Record<string, string>>({})
  const submit = (e: FormEvent) => {
    e.preventDefault()
    const filled = contentOf(fields, texts)
    setErrors(filled.errors)
    const first = fields.findIndex((f) => filled.errors[f.name])
    if (first >= 0) document.getElementById(fieldId(id, first))?.focus()
    else onSend(filled.content)
  }
  const set = (f: FormField, v: string) => {
    setTexts((t) => ({ ...t, [f.name]: v }))
    setErrors((now) => Object.fromEntries(Object.entries(now).filter(([name]) => name !== f.name)))
  }
  return (
    <form onSubmit={submit} noValidate className="max-w-xl space-y-3">
      {fields.map((f, i) => <One key={f.name} id={fieldId(id, i)} f={f} text={texts[f.name] ?? f.start} error={errors[f.name]} onChange={(v) => { set(f, v) }} />)}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="primary"><Send aria-hidden className="size-4" />{fields.length === 0 ? 'Yes' : 'Send'}</Button>
        {beside}
      </div>
    </form>
  )
}

function fieldId(id: string, i: number): string {
  return i === 0 ? `reply-${id}` : `reply-${id}-${i.toString()}`
}

const inputs = { text: 'text', email: 'email', url: 'url', date: 'date', datetime: 'datetime-local', time: 'time', number: 'text', integer: 'text' } as const

function One({ id, f, text, error, onChange }: { id: string; f: FormField; text: string; error: string | undefined; onChange: (v: string) => void }) {
  const label = f.required || f.kind === 'boolean' ? f.label : `${f.label} (optional)`
  if (f.kind === 'boolean') return <Check id={id} label={label} checked={text === 'true'} onChange={(v) => { onChange(String(v)) }} {...(f.hint ? { hint: f.hint } : {})} />
  if (f.kind === 'choice') return <Choice id={id} label={label} value={text} onChange={onChange} options={[...(text === '' || !f.required ? [['', 'Choose'] as [string, string]] : []), ...(f.options ?? []).map((o, i): [string, string] => [i.toString(), o.text])]} hint={f.hint} error={error} />
  if (f.kind === 'long' || f.kind === 'json') return <Area id={id} label={label} mono={f.kind === 'json'} rows={4} value={text} onChange={onChange} hint={f.hint ?? (f.kind === 'json' ? 'As JSON.' : undefined)} error={error} />
  return <Field id={id} label={label} type={inputs[f.kind]} inputMode={f.kind === 'integer' ? 'numeric' : f.kind === 'number' ? 'decimal' : undefined} autoComplete="off" value={text} onChange={(e) => { onChange(e.target.value) }} hint={f.hint} error={error} aria-required={f.required} />
}
