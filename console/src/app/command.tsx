import { useNavigate } from '@tanstack/react-router'
import { ListTree, Play, Search, type LucideIcon } from 'lucide-react'
import { useEffect, useId, useMemo, useState, type KeyboardEvent } from 'react'
import { useInstances } from '@/instances/hooks'
import { useRuns } from '@/runs/hooks'
import { cn } from '@/ui/cn'
import { Dialog } from './dialog'
import { places } from './places'

type Entry = { id: string; group: string; icon: LucideIcon; text: string; hint?: string; to: string }

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
    <Dialog open={open} onOpenChange={onOpenChange} title="Search or do" bare>
      <Menu done={() => { onOpenChange(false) }} />
    </Dialog>
  )
}

function useEntries(): Entry[] {
  const runs = useRuns({})
  const instances = useInstances()
  return useMemo(() => [
    ...places.map((p) => ({ id: p.key, group: 'Go to', icon: p.icon, text: p.name, hint: `g ${p.key}`, to: p.to })),
    ...(instances.data ?? []).map((n) => ({ id: n.id, group: 'Start a task', icon: Play, text: `New task: ${n.displayName}`, to: `/instances/${n.id}` })),
    ...(runs.data ?? []).map((r) => ({ id: r.id, group: 'Runs', icon: ListTree, text: r.title, hint: r.status, to: `/runs/${r.id}` })),
  ], [runs.data, instances.data])
}

function Menu({ done }: { done: () => void }) {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const list = useId()
  const navigate = useNavigate()
  const entries = useEntries()
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const found = entries.filter((e) => words.every((w) => `${e.group} ${e.text} ${e.id}`.toLowerCase().includes(w))).slice(0, 40)
  const current = found[Math.min(at, found.length - 1)]
  const option = (e: Entry) => `${list}-${e.id}`

  useEffect(() => { if (current) document.getElementById(`${list}-${current.id}`)?.scrollIntoView({ block: 'nearest' }) }, [current, list])

  const pick = (e: Entry | undefined) => {
    if (!e) return
    done()
    void navigate({ to: e.to })
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
      <div className="flex items-center gap-3 border-b border-line px-4 has-focus-visible:border-(--focus)">
        <Search aria-hidden className="size-4 shrink-0 text-ink-2" />
        <input
          role="combobox" aria-label="Search or do" aria-expanded aria-controls={list} aria-activedescendant={current ? option(current) : undefined}
          value={text} onChange={(e) => { setText(e.target.value); setAt(0) }} onKeyDown={onKey} placeholder="A room, an instance, a run"
          className="h-12 w-full bg-transparent text-base outline-none placeholder:text-ink-2"
        />
      </div>
      <div id={list} role="listbox" aria-label="Matches" tabIndex={-1} className="max-h-[52vh] min-h-0 overflow-auto p-1.5">
        {found.map((e, i) => (
          <div key={option(e)} role="presentation">
            {e.group !== found[i - 1]?.group ? <p role="presentation" className="px-2.5 pt-2 pb-1 text-xs text-ink-2">{e.group}</p> : null}
            <div
              id={option(e)} role="option" tabIndex={-1} aria-selected={e === current}
              onPointerMove={() => { setAt(i) }} onClick={() => { pick(e) }} onKeyDown={onKey}
              className={cn('flex min-h-8 cursor-pointer items-center gap-2.5 rounded-md px-2.5 text-sm', e === current && 'bg-hover')}
            >
              <e.icon aria-hidden className="size-4 shrink-0 text-ink-2" />
              <span className="min-w-0 flex-1 truncate">{e.text}</span>
              {e.hint ? <span className="shrink-0 text-xs text-ink-2">{e.hint}</span> : null}
            </div>
          </div>
        ))}
      </div>
      <p role="status" className="border-t border-line px-4 py-2 text-xs text-ink-2">{found.length === 0 ? 'Nothing matches' : `${found.length.toString()} found`}</p>
    </>
  )
}
