import { createFileRoute, useNavigate } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { useKeys } from '@/app/keyboard'
import { InteractionCard } from '@/interactions/card'
import { byRisk, useInbox } from '@/interactions/hooks'
import { Button } from '@/ui/button'
import { Page } from '@/ui/page'
import { Empty, Failure, Skeleton } from '@/ui/state'

export const Route = createFileRoute('/inbox')({
  validateSearch: (s: Record<string, unknown>): { at?: string } => (typeof s['at'] === 'string' ? { at: s['at'] } : {}),
  component: Inbox,
})

function Inbox() {
  const inbox = useInbox()
  const { at } = Route.useSearch()
  const navigate = useNavigate({ from: '/inbox' })
  const { data } = inbox
  const items = useMemo(() => [...(data ?? [])].sort(byRisk), [data])
  const chosen = Math.max(0, items.findIndex((x) => x.id === at))
  useKeys(useCallback((key) => {
    if (key !== 'j' && key !== 'k') return
    const next = items[Math.max(0, Math.min(items.length - 1, chosen + (key === 'j' ? 1 : -1)))]
    if (!next) return
    void navigate({ search: { at: next.id }, replace: true, resetScroll: false })
    document.getElementById(`card-${next.id}`)?.focus()
  }, [items, chosen, navigate]))
  return (
    <Page title="Inbox" hint="What your agents and programs need from you.">
      {inbox.error ? <Failure className="mb-4" error={inbox.error} retry={inbox.retry} safe="Open questions stay open." /> : null}
      {inbox.loading ? <Skeleton rows={3} /> : null}
      {data?.length === 0 ? <Empty title="Nothing needs you">An agent or a program that needs an approval, a value or a hand waits here until you answer.</Empty> : null}
      <div aria-live="assertive" className="sr-only">{items.length > 0 ? `${items.length.toString()} waiting for you` : ''}</div>
      <ul className="space-y-4">
        {items.map((x, i) => (
          <li key={x.id} id={`card-${x.id}`} tabIndex={-1} className="scroll-m-4 rounded-lg"><InteractionCard interaction={x} focused={i === chosen} /></li>
        ))}
      </ul>
      {inbox.more ? <Button className="mt-4" onClick={inbox.more} busy={inbox.loadingMore}>Show more</Button> : null}
    </Page>
  )
}
