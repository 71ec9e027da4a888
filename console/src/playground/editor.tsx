import { useId, useMemo, useRef, useState, type KeyboardEvent } from 'react'
import { cn } from '@/ui/cn'
import { indent, newline, outdent, type Edit } from './edit'

type Props = {
  label: string; value: string; onChange: (v: string) => void; onRun: () => void; rows?: number; marked?: number | undefined; invalid?: boolean; describedBy?: string; className?: string
}

const lineHeight = 20
const padding = 8

/** A text field for code: line numbers, a marked line, Tab indents, Enter keeps the indent, Ctrl- or Cmd-Enter runs. Whoever walks through the page by Tab passes it: it indents only once something was typed or clicked. */
export function Editor({ label, value, onChange, onRun, rows = 16, marked, invalid, describedBy, className }: Props) {
  const id = useId()
  const writing = useRef(false)
  const [scroll, setScroll] = useState({ top: 0, left: 0 })
  const count = useMemo(() => value.split('\n').length, [value])
  const digits = Math.max(2, count.toString().length)

  const onKey = (e: KeyboardEvent<HTMLTextAreaElement>) => {
    const box = e.currentTarget
    const now = { text: box.value, from: box.selectionStart, to: box.selectionEnd }
    if (e.key === 'Enter' && (e.metaKey || e.ctrlKey)) {
      e.preventDefault()
      onRun()
    } else if (e.key === 'Tab' && writing.current && !e.metaKey && !e.ctrlKey && !e.altKey) {
      e.preventDefault()
      change(box, e.shiftKey ? outdent(now) : indent(now))
    } else if (e.key === 'Enter' && !e.shiftKey && !e.altKey && !e.nativeEvent.isComposing) {
      e.preventDefault()
      change(box, newline(now))
    }
    if (!['Tab', 'Shift', 'Escape', 'Meta', 'Control', 'Alt'].includes(e.key)) writing.current = true
  }

  return (
    <div className={cn('relative overflow-hidden rounded-md border bg-panel font-mono text-xs has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-(--focus)', invalid ? 'border-bad' : 'border-line-strong')}>
      <label htmlFor={id} className="sr-only">{label}</label>
      {marked ? <div aria-hidden className="pointer-events-none absolute inset-x-0 bg-bad-soft" style={{ top: padding + (marked - 1) * lineHeight - scroll.top, height: lineHeight }} /> : null}
      <div aria-hidden className="pointer-events-none absolute inset-y-0 left-0 overflow-hidden border-r border-line bg-sunken text-right text-ink-2 select-none" style={{ width: `calc(${digits.toString()}ch + 1.25rem)`, paddingTop: padding }}>
        <div style={{ transform: `translateY(${(-scroll.top).toString()}px)` }}>
          {Array.from({ length: count }, (_, i) => <div key={i} className={cn('pr-2', i + 1 === marked && 'bg-bad-soft font-semibold text-bad')} style={{ height: lineHeight, lineHeight: `${lineHeight.toString()}px` }}>{i + 1}</div>)}
        </div>
      </div>
      <textarea
        id={id} value={value} rows={rows} wrap="off" spellCheck={false} autoComplete="off" autoCapitalize="off" autoCorrect="off" aria-invalid={invalid === true} aria-describedby={describedBy} aria-keyshortcuts="Control+Enter Meta+Enter"
        onChange={(e) => { onChange(e.target.value) }} onKeyDown={onKey} onFocus={() => { writing.current = false }} onPointerDown={() => { setTimeout(() => { writing.current = true }) }}
        onScroll={(e) => { setScroll({ top: e.currentTarget.scrollTop, left: e.currentTarget.scrollLeft }) }}
        className={cn('relative block w-full resize-y overflow-auto bg-transparent py-2 pr-3 text-xs outline-2 -outline-offset-2 outline-transparent focus-visible:outline-(--focus)', className)}
        style={{ lineHeight: `${lineHeight.toString()}px`, paddingLeft: `calc(${digits.toString()}ch + 1.75rem)`, tabSize: 2 }}
      />
    </div>
  )
}

// The browser's own command keeps the steps of undo; without it the text is set.
function change(box: HTMLTextAreaElement, e: Edit): void {
  box.setSelectionRange(e.from, e.to)
  if (e.put === '' ? e.from === e.to || document.execCommand('delete') : document.execCommand('insertText', false, e.put)) {
    box.setSelectionRange(e.select[0], e.select[1])
    return
  }
  box.setRangeText(e.put, e.from, e.to)
  box.setSelectionRange(e.select[0], e.select[1])
  box.dispatchEvent(new Event('input', { bubbles: true }))
}
