import { Link, useNavigate } from '@tanstack/react-router'
import { Search, X } from 'lucide-react'
import { useCallback, useMemo, useRef, useState } from 'react'
import { useKeys } from '@/app/keyboard'
import { Button, buttonStyle, Keycap } from '@/ui/button'
import { cn } from '@/ui/cn'
import { Page } from '@/ui/page'
import { Empty, Failure, Skeleton } from '@/ui/state'
import type { Place, Tool } from '@/api/model'
import { ToolDetail } from './detail'
import { useNamespaces, usePlaces, useSettled, useToolSearch } from './hooks'
import { parts, rows } from './tree'
import { ToolLine, TreeView } from './tree-view'

export type ToolsSearch = { q?: string; tool?: string; in?: string }

/** Every tool: a tree to walk through, a search over all, and the chosen one beside it. */
export function ToolsPage({ q = '', tool, in: within }: ToolsSearch) {
  const places = usePlaces()
  const navigate = useNavigate()
  const shown = useMemo(() => places.data?.filter((p) => !within || p.source === within || p.namespace === within), [places.data, within])
  const set = useCallback((change: ToolsSearch) => {
    void navigate({ to: '/tools', search: (s) => clean({ ...(s as ToolsSearch), ...change }), replace: true, resetScroll: false })
  }, [navigate])
  const field = useRef<HTMLInputElement>(null)
  const [typed, setTyped] = useState<string>() // while the field has the focus, what is typed is ahead of the address
  useKeys(useCallback((key) => { if (key === 'f') requestAnimationFrame(() => { field.current?.focus() }) }, []))
  return (
    <Page wide title="Tools" hint="What your sources can do. Call one here, or from a program in the playground." actions={<Link to="/sources/new" className={buttonStyle()}>Add a source</Link>}>
      {places.error ? <Failure className="mb-4" error={places.error} retry={places.retry} /> : null}
      {places.loading ? <Skeleton rows={6} /> : null}
      {places.data?.length === 0 ? <Empty title="No tools yet" command="pags sources add https://petstore3.swagger.io/api/v3/openapi.json"><Link to="/sources/new" className="link text-ink">Add a source</Link> and connect it, or from the command line:</Empty> : null}
      {shown && places.data && places.data.length > 0 ? (
        <div className="grid gap-4 lg:grid-cols-[minmax(18rem,5fr)_minmax(0,7fr)]">
          <div className="min-w-0 lg:sticky lg:top-5 lg:self-start">
            <div className="relative mb-2">
              <Search aria-hidden className="absolute top-2.5 left-2.5 size-4 text-ink-2" />
              <input
                ref={field} type="search" aria-label="Search tools" aria-keyshortcuts="f" placeholder="What shall be done?" value={typed ?? q} onFocus={() => { setTyped(q) }} onBlur={() => { setTyped(undefined) }} onChange={(e) => { setTyped(e.target.value); set({ q: e.target.value }) }} autoComplete="off" spellCheck={false}
                className="h-9 w-full rounded-md border border-line-strong bg-panel pr-9 pl-8 text-base placeholder:text-ink-2 [&::-webkit-search-cancel-button]:hidden"
              />
              <span className="absolute top-2 right-2 text-ink-2">{q ? <Button look="quiet" size="icon" className="-m-1" aria-label="Clear the search" onClick={() => { set({ q: '' }) }}><X aria-hidden className="size-4" /></Button> : <Keycap>f</Keycap>}</span>
            </div>
            {within ? <p className="mb-2 flex items-center gap-2 text-xs text-ink-2">Only in <span className="font-mono text-ink">{within}</span><Button size="small" look="quiet" onClick={() => { void navigate({ to: '/tools', search: (s) => clean({ ...(s as ToolsSearch), in: '' }), replace: true }) }}>Show all</Button></p> : null}
            {q.trim() ? <Results q={q.trim()} within={within} chosen={tool} onChoose={(path) => { set({ tool: path }) }} /> : <Tree key={within ?? ''} places={shown} chosen={tool} onChoose={(path) => { set({ tool: path }) }} />}
          </div>
          <div className="min-w-0">{tool ? <ToolDetail key={tool} path={tool} /> : <p className="rounded-lg border border-dashed border-line px-5 py-12 text-center text-sm text-ink-2">Choose a tool to see what it takes, what it gives, and to call it.</p>}</div>
        </div>
      ) : null}
    </Page>
  )
}

function clean(s: ToolsSearch): ToolsSearch {
  return Object.fromEntries(Object.entries(s).filter(([, v]) => v))
}

function Tree({ places, chosen, onChoose }: { places: Place[]; chosen: string | undefined; onChoose: (path: string) => void }) {
  const [open, setOpen] = useState<ReadonlySet<string>>(() => firstOpen(places, chosen))
  const namespaces = useMemo(() => places.map((p) => p.namespace).filter((n) => open.has(n)), [places, open])
  const loaded = useNamespaces(namespaces)
  const toggle = (id: string) => {
    setOpen((now) => {
      const next = new Set(now)
      if (!next.delete(id)) next.add(id)
      return next
    })
  }
  return <TreeView rows={rows(places, loaded, open)} chosen={chosen} onChoose={onChoose} onToggle={toggle} />
}

/** A single namespace is open from the start, and what holds the chosen tool. */
function firstOpen(places: Place[], chosen: string | undefined): ReadonlySet<string> {
  const open = new Set<string>()
  if (places.length === 1 && places[0]) open.add(places[0].namespace)
  if (chosen) {
    const { namespace, group } = parts(chosen)
    open.add(namespace).add(`${namespace}.${group}`)
  }
  return open
}

function Results({ q, within, chosen, onChoose }: { q: string; within: string | undefined; chosen: string | undefined; onChoose: (path: string) => void }) {
  const settled = useSettled(q, 120)
  const found = useToolSearch(settled, within)
  const box = useRef<HTMLDivElement>(null)
  const items: Tool[] = found.data?.items ?? []
  const at = items.findIndex((t) => t.path === chosen)
  return (
    <>
      {found.error ? <Failure className="mb-2" error={found.error} retry={() => { void found.refetch() }} /> : null}
      <div
        ref={box} role="listbox" tabIndex={0} aria-label="Found tools" aria-activedescendant={at >= 0 ? `found-${at.toString()}` : undefined}
        aria-busy={found.isPlaceholderData} className="max-h-[46dvh] overflow-auto overscroll-contain rounded-lg border border-line bg-panel py-1 empty:hidden lg:max-h-[calc(100dvh-12.5rem)]"
        onKeyDown={(e) => {
          const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[e.key]
          const next = to === undefined ? undefined : items[Math.max(0, Math.min(items.length - 1, to))]
          if (!next) return
          e.preventDefault()
          onChoose(next.path)
          document.getElementById(`found-${items.indexOf(next).toString()}`)?.scrollIntoView({ block: 'nearest' })
        }}
      >
        {items.map((t, i) => {
          const { namespace } = parts(t.path)
          return (
            <div
              key={t.path} id={`found-${i.toString()}`} role="option" aria-selected={t.path === chosen} tabIndex={-1} onClick={() => { onChoose(t.path) }} onKeyDown={(e) => { if (e.key === 'Enter') onChoose(t.path) }}
              className={cn('cursor-pointer px-3 py-1.5', t.path === chosen ? 'bg-hover shadow-[inset_2px_0_0_var(--ink)]' : 'hover:bg-sunken')}
            >
              <span className="flex items-center gap-1.5 text-sm"><ToolLine t={t} text={namespace ? t.path.slice(namespace.length + 1) : t.path} /></span>
              <span className="block truncate text-xs text-ink-2"><span className="font-mono">{namespace}</span>{t.description ? ` · ${t.description}` : ''}</span>
            </div>
          )
        })}
      </div>
      <p role="status" className="mt-2 text-xs text-ink-2">{found.isPending ? '' : items.length === 0 ? 'Nothing matches' : (found.data?.total ?? 0) > items.length ? `${items.length.toString()} of ${(found.data?.total ?? 0).toLocaleString()}` : `${items.length.toString()} found`}</p>
    </>
  )
}
