import { useId, type InputHTMLAttributes, type ReactNode } from 'react'
import { cn } from './cn'

const box = 'w-full rounded-md border border-line-strong bg-panel px-3 py-2 text-sm placeholder:text-ink-2'

type Base = { label: string; hint?: ReactNode; error?: string | undefined }

/** A labelled text field with a hint and an error that screen readers tell with it. */
export function Field({ label, hint, error, className, id: given, ...rest }: Base & InputHTMLAttributes<HTMLInputElement>) {
  const made = useId()
  const id = given ?? made
  return (
    <div className={className}>
      <label htmlFor={id} className="mb-1 block text-sm font-medium">{label}</label>
      <input id={id} className={box} aria-invalid={error !== undefined} aria-describedby={`${id}-hint`} {...rest} />
      <p id={`${id}-hint`} className={cn('mt-1 text-xs text-ink-2', error && 'text-bad')}>{error ?? hint}</p>
    </div>
  )
}

export function Area({ label, hint, value, onChange, rows = 3, maxLength, required }: Base & { value: string; onChange: (v: string) => void; rows?: number; maxLength?: number; required?: boolean }) {
  const id = useId()
  return (
    <div>
      <label htmlFor={id} className="mb-1 block text-sm font-medium">{label}</label>
      <textarea id={id} className={box} rows={rows} maxLength={maxLength} required={required} value={value} onChange={(e) => { onChange(e.target.value) }} aria-describedby={`${id}-hint`} />
      <p id={`${id}-hint`} className="mt-1 text-xs text-ink-2">{hint}</p>
    </div>
  )
}

export function Choice({ label, value, options, onChange, hint }: Base & { value: string; options: [value: string, text: string][]; onChange: (v: string) => void }) {
  const id = useId()
  return (
    <div>
      <label htmlFor={id} className="mb-1 block text-sm font-medium">{label}</label>
      <select id={id} className={box} value={value} onChange={(e) => { onChange(e.target.value) }} aria-describedby={`${id}-hint`}>
        {options.map(([v, text]) => <option key={v} value={v}>{text}</option>)}
      </select>
      <p id={`${id}-hint`} className="mt-1 text-xs text-ink-2">{hint}</p>
    </div>
  )
}

export function Check({ label, checked, onChange, hint }: { label: string; checked: boolean; onChange: (v: boolean) => void; hint?: string }) {
  const id = useId()
  return (
    <div className="flex items-start gap-2.5">
      <input id={id} type="checkbox" className="mt-1 size-4 accent-(--accent)" checked={checked} onChange={(e) => { onChange(e.target.checked) }} aria-describedby={hint ? `${id}-hint` : undefined} />
      <div>
        <label htmlFor={id} className="text-sm font-medium">{label}</label>
        {hint ? <p id={`${id}-hint`} className="text-xs text-ink-2">{hint}</p> : null}
      </div>
    </div>
  )
}
