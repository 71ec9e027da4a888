import { useId, type InputHTMLAttributes, type ReactNode } from 'react'
import { cn } from './cn'

const box = 'w-full rounded-md border border-line-strong bg-panel px-2.5 py-1.5 text-base placeholder:text-ink-2'

type Base = { label: string; hint?: ReactNode; error?: string | undefined }

function Hint({ id, hint, error }: { id: string; hint?: ReactNode; error?: string | undefined }) {
  return hint || error ? <p id={id} className={cn('mt-1 text-xs text-ink-2', error && 'text-bad')}>{error ?? hint}</p> : null
}

/** A labelled text field with a hint and an error that screen readers tell with it. */
export function Field({ label, hint, error, className, id: given, ...rest }: Base & InputHTMLAttributes<HTMLInputElement>) {
  const made = useId()
  const id = given ?? made
  return (
    <div className={className}>
      <label htmlFor={id} className="mb-1 block text-sm font-medium">{label}</label>
      <input id={id} className={box} aria-invalid={error !== undefined} aria-describedby={hint || error ? `${id}-hint` : undefined} {...rest} />
      <Hint id={`${id}-hint`} hint={hint} error={error} />
    </div>
  )
}

export function Area({ label, hint, error, value, onChange, rows = 3, maxLength, required, mono, id: given }: Base & { value: string; onChange: (v: string) => void; rows?: number; maxLength?: number; required?: boolean; mono?: boolean; id?: string }) {
  const made = useId()
  const id = given ?? made
  return (
    <div>
      <label htmlFor={id} className="mb-1 block text-sm font-medium">{label}</label>
      <textarea id={id} className={cn(box, 'block', mono && 'overflow-auto font-mono text-xs leading-5 whitespace-pre')} spellCheck={mono ? false : undefined} rows={rows} maxLength={maxLength} required={required} value={value} onChange={(e) => { onChange(e.target.value) }} aria-invalid={error !== undefined} aria-describedby={hint || error ? `${id}-hint` : undefined} />
      <Hint id={`${id}-hint`} hint={hint} error={error} />
    </div>
  )
}

export function Choice({ label, value, options, onChange, hint, error, id: given }: Base & { value: string; options: [value: string, text: string][]; onChange: (v: string) => void; id?: string }) {
  const made = useId()
  const id = given ?? made
  return (
    <div>
      <label htmlFor={id} className="mb-1 block text-sm font-medium">{label}</label>
      <select id={id} className={cn(box, 'min-h-[2.25rem]')} value={value} onChange={(e) => { onChange(e.target.value) }} aria-invalid={error !== undefined} aria-describedby={hint || error ? `${id}-hint` : undefined}>
        {options.map(([v, text]) => <option key={v} value={v}>{text}</option>)}
      </select>
      <Hint id={`${id}-hint`} hint={hint} error={error} />
    </div>
  )
}

export function Check({ label, checked, onChange, hint, id: given }: { label: string; checked: boolean; onChange: (v: boolean) => void; hint?: string; id?: string }) {
  const made = useId()
  const id = given ?? made
  return (
    <div className="flex items-start gap-2">
      <input id={id} type="checkbox" className="mt-0.5 size-4 accent-(--ink)" checked={checked} onChange={(e) => { onChange(e.target.checked) }} aria-describedby={hint ? `${id}-hint` : undefined} />
      <div>
        <label htmlFor={id} className="block text-sm font-medium">{label}</label>
        <Hint id={`${id}-hint`} hint={hint} />
      </div>
    </div>
  )
}
