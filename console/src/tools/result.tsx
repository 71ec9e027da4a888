import { CircleCheck, CircleX, Download } from 'lucide-react'
import { Button } from '@/ui/button'
import { Json } from '@/ui/code'
import { Pill } from '@/ui/pill'
import { files, type GivenFile } from './files'
import { useFileAddress } from './hooks'

/** What every call of a tool gives. */
type Result = { ok: true; data?: unknown; http?: { status: number; truncated?: boolean } } | { ok: false; error: { code: string; message: string; details?: unknown; retryable?: boolean } }

function isResult(v: unknown): v is Result {
  return typeof v === 'object' && v !== null && 'ok' in v && typeof v.ok === 'boolean'
}

/** What a call gave: whether it went well, what came back, files to take. */
export function ResultView({ value, label = 'Result' }: { value: unknown; label?: string }) {
  if (!isResult(value)) return <Json value={value} label={label} />
  const given = files(value)
  return (
    <div className="space-y-2">
      <p className="flex flex-wrap items-center gap-2 text-sm">
        {value.ok ? <Pill tint="ok" icon={CircleCheck}>Done</Pill> : <Pill tint="bad" icon={CircleX}>{value.error.code}</Pill>}
        {value.ok && value.http ? <span className="text-xs text-ink-2 tabular-nums">HTTP {value.http.status}{value.http.truncated ? ', cut short' : ''}</span> : null}
        {value.ok ? null : <span className="min-w-0 break-words">{value.error.message}</span>}
        {!value.ok && value.error.retryable ? <span className="text-xs text-ink-2">another try may help</span> : null}
      </p>
      {value.ok ? <Json value={value.data ?? null} label={label} /> : value.error.details !== undefined && value.error.details !== null ? <Json value={value.error.details} label="Details" /> : null}
      {given.length > 0 ? <ul className="flex flex-wrap gap-2">{given.map((f) => <li key={f.id}><FileButton f={f} /></li>)}</ul> : null}
    </div>
  )
}

function FileButton({ f }: { f: GivenFile }) {
  const address = useFileAddress()
  const take = () => { address.mutate(f.id, { onSuccess: (a) => { window.open(a.url, '_blank', 'noreferrer') } }) }
  return (
    <>
      <Button size="small" busy={address.isPending} onClick={take}><Download aria-hidden className="size-3.5" />{f.name} <span className="font-normal text-ink-2">{f.contentType}, {f.size.toLocaleString()} bytes</span></Button>
      {address.error ? <p role="alert" className="mt-1 text-xs text-bad">{address.error.message}</p> : null}
    </>
  )
}
