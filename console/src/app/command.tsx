import { useNavigate } from '@tanstack/react-router'
import { Boxes, ListTree, Play, Search, Wrench, type LucideIcon } from 'lucide-react'
import { useEffect, useId, useMemo, useState, type KeyboardEvent } from 'react'
import { useInstances } from '@/instances/hooks'
import { useRuns } from '@/runs/hooks'
import { useSources } from '@/sources/hooks'
import { useSettled, useToolSearch } from '@/tools/hooks'
import { cn } from '@/ui/cn'
import { Dialog } from './dialog'
import { places } from './places'

type Entry = { id: string; group: string; icon: LucideIcon; text: string; hint?: string; to: string; search?: { tool: string } }

/** The command menu: go anywhere, open a run, an instance, a source or a tool, start a task. Cmd-K or Ctrl-K opens it from anywhere. */
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
  const sources = useSources()
  return useMemo(() => [
    ...places.map((p) => ({ id: p.key, group: 'Go to', icon: p.icon, text: p.name, hint: `g ${p.key}`, to: p.to })),
    ...(instances.data ?? []).map((n) => ({ id: n.id, group: 'Start a task', icon: Play, text: `New task: ${n.displayName}`, to: `/instances/${n.id}` })),
    ...(runs.data ?? []).map((r) => ({ id: r.id, group: 'Runs', icon: ListTree, text: r.title, hint: r.status, to: `/runs/${r.id}` })),
    ...(sources.data ?? []).map((s) => ({ id: s.slug, group: 'Sources', icon: Boxes, text: s.name, hint: `${s.tools.toLocaleString()} tools`, to: `/sources/${s.slug}` })),
  ], [runs.data, instances.data, sources.data])
}

const few = 6 // tools in the menu

/** Tools are found by the host, which knows what words mean in them and bears a typo. */
function useTools(text: string): Entry[] {
  const query = useSettled(text.trim(), 120)
  const found = useToolSearch(query.length > 1 ? query : '', undefined, few)
  return useMemo(() => (query.length > 1 ? (found.data?.items ?? []).map((t) => ({ id: t.path, group: 'Tools', icon: Wrench, text: t.path, hint: t.readOnly ? 'reads' : 'writes', to: '/tools', search: { tool: t.path } })) : []), [query, found.data])
}

function Menu({ done }: { done: () => void }) {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const list = useId()
  const navigate = useNavigate()
  const entries = useEntries()
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const tools = useTools(text)
  const found = [...entries.filter((e) => words.every((w) => `${e.group} ${e.text} ${e.id}`.toLowerCase().includes(w))).slice(0, 40), ...(words.length > 0 ? tools : [])]
  const current = found[Math.min(at, found.length - 1)]
  const option = (e: Entry) => `${list}-${e.id}`

  useEffect(() => { if (current) document.getElementById(`${list}-${current.id}`)?.scrollIntoView({ block: 'nearest' }) }, [current, list])

  const pick = (e: Entry | undefined) => {
    if (!e) return
    done()
    void navigate({ to: e.to, ...(e.search ? { search: e.search } : {}) })
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
          value={text} onChange={(e) => { setText(e.target.value); setAt(0) }} onKeyDown={onKey} placeholder="A room, a tool, a run, an instance"
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
