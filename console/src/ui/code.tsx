import { Check, Copy } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { visible } from '@/interactions/facts'
import { Button } from './button'
import { cn } from './cn'
import { pretty } from './pretty'

function CopyButton({ text, label }: { text: string; label: string }) {
  const [done, set] = useState(false)
  useEffect(() => {
    if (!done) return
    const t = setTimeout(() => { set(false) }, 1600)
    return () => { clearTimeout(t) }
  }, [done])
  return (
    <Button look="quiet" size="icon" className="absolute top-1 right-1 border-line bg-panel" aria-label={done ? 'Copied' : label} onClick={() => { void navigator.clipboard.writeText(text).then(() => { set(true) }) }}>
      {done ? <Check aria-hidden className="size-3.5 text-ok" /> : <Copy aria-hidden className="size-3.5" />}
    </Button>
  )
}

const most = 40_000 // characters shown at once; the rest on demand, so that a large result does not hold up the page

/** Text as it is, in a box that can be scrolled by keyboard and copied whole. */
export function Code({ text, label, className, wrap }: { text: string; label: string; className?: string; wrap?: boolean }) {
  const [all, setAll] = useState(false)
  const shown = all || text.length <= most ? text : text.slice(0, most)
  return (
    <div className="relative min-w-0">
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls has to be reachable by keyboard */}
      <pre role="group" tabIndex={0} aria-label={label} className={cn('max-h-80 overflow-auto rounded-md border border-line bg-sunken py-2 pr-10 pl-3 font-mono text-xs', wrap && 'break-words whitespace-pre-wrap', className)}>{visible(shown)}</pre>
      <CopyButton text={text} label={`Copy: ${label}`} />
      {shown.length < text.length ? <Button size="small" className="mt-1.5" onClick={() => { setAll(true) }}>Show all {text.length.toLocaleString()} characters</Button> : null}
    </div>
  )
}

/** A value as JSON. */
export function Json({ value, label, className }: { value: unknown; label: string; className?: string }) {
  const text = useMemo(() => pretty(value), [value])
  return <Code text={text} label={label} wrap {...(className ? { className } : {})} />
}

/** A program with line numbers; the marked line is brought into view. */
export function Program({ text, marked, label, className }: { text: string; marked?: number | undefined; label: string; className?: string }) {
  const lines = useMemo(() => text.split('\n'), [text])
  const box = useRef<HTMLPreElement>(null)
  useEffect(() => {
    const line = box.current?.querySelector('[data-marked]')
    if (box.current && line instanceof HTMLElement) box.current.scrollTop = line.offsetTop - box.current.clientHeight / 2
  }, [marked, text])
  return (
    <div className="relative min-w-0">
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls has to be reachable by keyboard */}
      <pre ref={box} role="group" tabIndex={0} aria-label={label} className={cn('relative max-h-96 overflow-auto rounded-md border border-line bg-sunken py-2 font-mono text-xs leading-5', className)}>
        <code className="block w-max min-w-full">
          {lines.map((line, i) => (
            <span key={i} data-marked={i + 1 === marked ? '' : undefined} className={cn('flex', i + 1 === marked && 'bg-bad-soft')}>
              <span aria-hidden className={cn('w-10 shrink-0 pr-3 text-right text-ink-2 select-none', i + 1 === marked && 'font-semibold text-bad')}>{i + 1}</span>
              <span className="pr-10">{i + 1 === marked ? <span className="sr-only">The error is in this line: </span> : null}{visible(line)}{'\n'}</span>
            </span>
          ))}
        </code>
      </pre>
      <CopyButton text={text} label={`Copy: ${label}`} />
    </div>
  )
}
