import { useMemo } from 'react'
import type { Drift, Refreshed } from '@/api/model'
import { Button } from '@/ui/button'
import { cn } from '@/ui/cn'
import { Panel } from '@/ui/page'
import { Pill } from '@/ui/pill'
import { pretty } from '@/ui/pretty'
import { Failure } from '@/ui/state'
import { brief, diff } from './diff'
import { useAccept, useDrift } from './hooks'
import { count } from './row'

const kinds = { new: { word: 'New', tint: 'busy' }, changed: { word: 'Changed', tint: 'wait' }, removed: { word: 'Removed', tint: 'bad' } } as const

/** Tools whose definition came or changed after their owner had looked: they ask before each call until they are accepted. */
export function DriftPanel({ slug, held, revision }: { slug: string; held: number; revision: number }) {
  const list = useDrift(slug, held > 0)
  const accept = useAccept(slug, revision)
  if (held === 0) return null
  return (
    <section aria-labelledby="drift" className="mt-8">
      <div className="mb-2 flex flex-wrap items-end justify-between gap-x-4 gap-y-2">
        <div>
          <h2 id="drift" className="font-semibold">Changes to look at</h2>
          <p className="text-sm text-ink-2">The API describes these differently than when you last agreed. Calls of them ask you first, whatever your policies say.</p>
        </div>
        <Button look="primary" busy={accept.isPending && accept.variables === undefined} onClick={() => { accept.mutate(undefined) }}>Accept {held === 1 ? 'the change' : `all ${held.toLocaleString()}`}</Button>
      </div>
      {accept.error ? <Failure className="mb-3" error={accept.error} safe="The changes are still held." /> : null}
      {list.error ? <Failure className="mb-3" error={list.error} retry={list.retry} /> : null}
      {list.data && list.data.length > 0 ? (
        <Panel className="divide-y divide-line">
          {list.data.map((d) => <DriftRow key={d.tool} d={d} busy={accept.isPending} onAccept={() => { accept.mutate([d.tool]) }} />)}
        </Panel>
      ) : null}
      {list.more ? <Button className="mt-3" onClick={list.more} busy={list.loadingMore}>Show more</Button> : null}
    </section>
  )
}

function DriftRow({ d, busy, onAccept }: { d: Drift; busy: boolean; onAccept: () => void }) {
  const { word, tint } = kinds[d.kind]
  return (
    <details className="px-4 py-2.5" open={d.kind === 'changed'}>
      <summary className="flex min-h-7 flex-wrap items-center gap-x-3 gap-y-1">
        <Pill tint={tint}>{word}</Pill>
        <span className="min-w-0 flex-1 font-mono text-xs break-all">{d.tool}</span>
      </summary>
      <Difference before={pretty(d.before ?? undefined)} after={pretty(d.after ?? undefined)} />
      {d.before?.cut || d.after?.cut ? <p className="mt-1 text-xs text-ink-2">A schema of it is too large to be shown here; the tool’s own page shows it.</p> : null}
      <Button size="small" className="mt-2" busy={busy} aria-label={`Accept ${d.tool}`} onClick={onAccept}>Accept</Button>
    </details>
  )
}

const styles = { same: '', gap: 'text-ink-2', before: 'bg-bad-soft text-bad', after: 'bg-ok-soft text-ok' }
const signs = { same: ' ', gap: '…', before: '−', after: '+' }
const said = { same: '', gap: '', before: 'before: ', after: 'after: ' }

function Difference({ before, after }: { before: string; after: string }) {
  const lines = useMemo(() => brief(diff(before, after)), [before, after])
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls has to be reachable by keyboard
    <pre role="group" tabIndex={0} aria-label="Before and after" className="mt-2 max-h-80 overflow-auto rounded-md border border-line bg-sunken py-1.5 font-mono text-xs leading-5">
      {lines.map((l, i) => <span key={i} className={cn('block px-3 break-words whitespace-pre-wrap', styles[l.kind])}><span aria-hidden className="mr-2 select-none">{signs[l.kind]}</span><span className="sr-only">{said[l.kind]}</span>{l.text}{'\n'}</span>)}
    </pre>
  )
}

/** What a refresh found. */
export function RefreshOutcome({ r }: { r: Refreshed }) {
  const { added, removed, changed } = r.drift
  if (!r.changed) return <p className="text-sm text-ok">Nothing changed</p>
  const lists = ([['New', added], ['Changed', changed], ['Removed', removed]] as const).filter(([, l]) => l.length > 0)
  if (lists.length === 0) return <p className="text-sm text-ok">Its texts changed; no tool did</p>
  return (
    <div className="text-sm">
      <p className="font-medium">{count(added.length, 'tool')} added, {changed.length} changed, {removed.length} removed</p>
      <dl className="mt-1 grid grid-cols-[5rem_minmax(0,1fr)] gap-x-3 gap-y-1">
        {lists.map(([word, l]) => (
          <div key={word} className="contents">
            <dt className="text-xs leading-5 text-ink-2">{word}</dt>
            <dd className="font-mono text-xs leading-5 break-words">{l.slice(0, 12).join(', ')}{l.length > 12 ? ` and ${(l.length - 12).toLocaleString()} more` : ''}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}
