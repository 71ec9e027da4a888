import { Check, Copy, RotateCw, TriangleAlert } from 'lucide-react'
import { useEffect, useState, type ReactNode } from 'react'
import { Button } from './button'
import { cn } from './cn'

/** Something to copy: a command, an id. */
export function CopyText({ text, label, className }: { text: string; label: string; className?: string }) {
  const [done, set] = useState(false)
  useEffect(() => {
    if (!done) return
    const t = setTimeout(() => { set(false) }, 1600)
    return () => { clearTimeout(t) }
  }, [done])
  return (
    <span className={cn('inline-flex max-w-full items-center gap-1 rounded-md border border-line bg-sunken py-px pr-px pl-2.5 font-mono text-xs text-ink', className)}>
      <code className="min-w-0 truncate" title={text}>{text}</code>
      <Button look="quiet" size="icon" aria-label={done ? 'Copied' : label} onClick={() => { void navigator.clipboard.writeText(text).then(() => { set(true) }) }}>
        {done ? <Check aria-hidden className="size-3.5 text-ok" /> : <Copy aria-hidden className="size-3.5" />}
      </Button>
      <span role="status" className="sr-only">{done ? 'Copied' : ''}</span>
    </span>
  )
}

/** An empty place says what belongs there and the exact next command. */
export function Empty({ title, children, command }: { title: string; children?: ReactNode; command?: string }) {
  return (
    <div className="flex flex-col items-center rounded-lg border border-dashed border-line px-5 py-12 text-center">
      <h2 className="font-medium">{title}</h2>
      {children ? <div className="mt-1 max-w-md text-sm text-ink-2">{children}</div> : null}
      {command ? <CopyText text={command} label="Copy the command" className="mt-4" /> : null}
    </div>
  )
}

/** A failure: what failed, what is safe, one retry, the trace to copy. */
export function Failure({ error, retry, safe, className }: { error: Error & { traceId?: string | undefined }; retry?: () => void; safe?: string; className?: string }) {
  return (
    <div role="alert" className={cn('flex flex-wrap items-start gap-x-3 gap-y-2 rounded-lg border border-bad/30 bg-bad-soft px-4 py-3 text-sm', className)}>
      <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-bad" />
      <div className="min-w-0 flex-1 basis-48">
        <p className="font-medium break-words text-bad">{error.message}</p>
        {safe ? <p className="mt-0.5 text-ink">{safe}</p> : null}
        {error.traceId ? <p className="mt-2"><CopyText text={error.traceId} label="Copy the trace id" /></p> : null}
      </div>
      {retry ? <Button size="small" onClick={retry}><RotateCw aria-hidden className="size-3.5" />Try again</Button> : null}
    </div>
  )
}

/** Grey bars in place of what is on its way; invisible for the first 200 ms so that quick answers do not flicker. */
export function Skeleton({ rows = 4 }: { rows?: number }) {
  const [shown, set] = useState(false)
  useEffect(() => {
    const t = setTimeout(() => { set(true) }, 200)
    return () => { clearTimeout(t) }
  }, [])
  return (
    <div role="status" className={cn('space-y-2', !shown && 'invisible')}>
      <span className="sr-only">Loading</span>
      {Array.from({ length: rows }, (_, i) => <div key={i} className="h-13 animate-pulse rounded-lg bg-hover" />)}
    </div>
  )
}
