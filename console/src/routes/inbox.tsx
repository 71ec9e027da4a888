import { createFileRoute, useNavigate } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { useKeys } from '@/app/keyboard'
import { InteractionCard } from '@/interactions/card'
import { useInbox } from '@/interactions/hooks'
import { Page } from '@/ui/page'
import { Empty, Failure, Skeleton } from '@/ui/state'

export const Route = createFileRoute('/inbox')({
  validateSearch: (s: Record<string, unknown>): { at?: string } => (typeof s['at'] === 'string' ? { at: s['at'] } : {}),
  component: Inbox,
})

function Inbox() {
  const inbox = useInbox('open')
  const { at } = Route.useSearch()
  const navigate = useNavigate({ from: '/inbox' })
  const data = inbox.data
  const items = useMemo(() => data ?? [], [data])
  const chosen = Math.max(0, items.findIndex((x) => x.id === at))
  useKeys(useCallback((key) => {
    if (key !== 'j' && key !== 'k') return
    const next = items[Math.max(0, Math.min(items.length - 1, chosen + (key === 'j' ? 1 : -1)))]
    if (!next) return
    void navigate({ search: { at: next.id }, replace: true })
    document.getElementById(`card-${next.id}`)?.focus()
  }, [items, chosen, navigate]))
  return (
    <Page title="Inbox" hint="What your agents need from you. Nothing goes on until you answer.">
      {inbox.error ? <Failure error={inbox.error} retry={inbox.retry} safe="Open questions stay open." /> : null}
      {inbox.loading ? <Skeleton rows={3} /> : null}
      {inbox.data?.length === 0 ? <Empty title="Nothing needs you">When an agent needs an approval, a value or a hand, it waits here, costs nothing, and goes on when you answer.</Empty> : null}
      <div aria-live="assertive" className="sr-only">{items.length > 0 ? `${items.length.toString()} waiting for you` : ''}</div>
      <ul className="space-y-4">
        {items.map((x, i) => (
          <li key={x.id} id={`card-${x.id}`} tabIndex={-1}><InteractionCard interaction={x} focused={i === chosen} /></li>
        ))}
      </ul>
    </Page>
  )
}
