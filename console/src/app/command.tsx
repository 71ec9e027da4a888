import { useEffect, useId, useMemo, useState, type KeyboardEvent } from 'react'
import { useInstances } from '@/instances/hooks'
import { useRecentRuns } from '@/runs/hooks'
import { cn } from '@/ui/cn'
import { Dialog } from './dialog'
import { places } from './places'
import { useSession } from './session'

type Entry = { id: string; group: string; text: string; hint?: string | undefined; to: string }

/** The command menu: go anywhere, open a run or an instance, start a task. Cmd-K or Ctrl-K opens it from anywhere. */
export function CommandMenu({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  useEffect(() => {
    const listen = (e: globalThis.KeyboardEvent) => {
      if ((e.metaKey || e.ctrlKey) && e.key.toLowerCase() === 'k') {
        e.preventDefault()
        onOpenChange(!open)
      }
    }
    addEventListener('keydown', listen)
    return () => { removeEventListener('keydown', listen) }
  }, [open, onOpenChange])
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title="Search or do" className="p-4">
      <Menu done={() => { onOpenChange(false) }} />
    </Dialog>
  )
}

function useEntries(): Entry[] {
  const runs = useRecentRuns()
  const instances = useInstances()
  return useMemo(() => [
    ...(instances.data ?? []).map((n) => ({ id: `start-${n.id}`, group: 'Do', text: `Start a task with ${n.displayName}`, to: `/instances/${n.id}` })),
    ...places.map((p) => ({ id: p.to, group: 'Go to', text: p.name, hint: `g ${p.key}`, to: p.to })),
    ...(runs.data ?? []).map((r) => ({ id: r.id, group: 'Runs', text: r.title, hint: r.status, to: `/runs/${r.id}` })),
  ], [runs.data, instances.data])
}

function Menu({ done }: { done: () => void }) {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const list = useId()
  const { go } = useSession()
  const entries = useEntries()
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const found = entries.filter((e) => words.every((w) => `${e.group} ${e.text} ${e.id}`.toLowerCase().includes(w))).slice(0, 40)
  const current = found[Math.min(at, found.length - 1)]

  const pick = (e: Entry | undefined) => {
    if (!e) return
    done()
    go(e.to)
  }
  const onKey = (e: KeyboardEvent) => {
    if (e.key === 'ArrowDown' || e.key === 'ArrowUp') {
      e.preventDefault()
      setAt((i) => Math.max(0, Math.min(found.length - 1, i + (e.key === 'ArrowDown' ? 1 : -1))))
    }
    if (e.key === 'Enter') pick(current)
  }
  return (
    <>
      <input
        role="combobox" aria-label="Search or do" aria-expanded aria-controls={list} aria-activedescendant={current ? `${list}-${current.id}` : undefined}
        value={text} onChange={(e) => { setText(e.target.value); setAt(0) }} onKeyDown={onKey} placeholder="A run, an instance, a room"
        className="w-full rounded-md border border-line-strong bg-panel px-3 py-2 text-sm"
      />
      <div id={list} role="listbox" aria-label="Matches" className="mt-3 max-h-[46vh] overflow-auto">
        {found.map((e) => (
          <div
            key={e.id} id={`${list}-${e.id}`} role="option" tabIndex={-1} aria-selected={e === current}
            onPointerMove={() => { setAt(found.indexOf(e)) }} onPointerDown={(p) => { p.preventDefault(); pick(e) }}
            className={cn('flex cursor-pointer items-baseline justify-between gap-4 rounded-md px-3 py-2 text-sm', e === current && 'bg-sunken')}
          >
            <span className="min-w-0 truncate">{e.text}</span>
            <span className="shrink-0 text-xs text-ink-2">{e.hint ?? e.group}</span>
          </div>
        ))}
      </div>
      <p role="status" className="mt-2 text-xs text-ink-2">{found.length === 0 ? 'Nothing matches' : `${found.length.toString()} found`}</p>
    </>
  )
}
