import type { Interaction } from '@/api/model'
import { InteractionCard } from '@/interactions/card'

/** What a program waits for, answerable where one looks at it. The keys answer the first. */
export function Pauses({ items, className }: { items: Interaction[]; className?: string }) {
  return (
    <div className={className} aria-live="polite">
      {items.length > 0 ? <p className="sr-only">{items.length === 1 ? 'A call waits for you' : `${items.length.toString()} calls wait for you`}</p> : null}
      <ul className="space-y-3">
        {items.map((x, i) => <li key={x.id}><InteractionCard interaction={x} inRun focused={i === 0} /></li>)}
      </ul>
    </div>
  )
}
