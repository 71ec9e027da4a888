import { Ban, BookOpen, Hand, PencilLine, ShieldCheck, TriangleAlert, Clock } from 'lucide-react'
import { Pill } from '@/ui/pill'
import type { Action, Decision } from '@/api/model'

/** What would happen to a call. A tool of the house has no policy: it asks, or it does not. */
export function actionOf(t: { policy?: Decision; asks?: boolean }): Action {
  return t.policy?.action ?? (t.asks ? 'require_approval' : 'approve')
}

/** What a tool may do: only read, change something, or take something away. */
export function Risk({ readOnly, destructive }: { readOnly?: boolean | undefined; destructive?: boolean | undefined }) {
  if (readOnly) return <Pill icon={BookOpen}>Reads</Pill>
  return destructive ? <Pill tint="bad" icon={TriangleAlert}>Destructive</Pill> : <Pill tint="wait" icon={PencilLine}>Writes</Pill>
}

export const actionWords: Record<Action, string> = { approve: 'Goes ahead', require_approval: 'Asks first', block: 'Blocked' }

/** What a policy says of a call. */
export function Verdict({ action }: { action: Action }) {
  if (action === 'block') return <Pill tint="bad" icon={Ban}>{actionWords.block}</Pill>
  return action === 'approve' ? <Pill tint="ok" icon={ShieldCheck}>{actionWords.approve}</Pill> : <Pill tint="wait" icon={Hand}>{actionWords.require_approval}</Pill>
}

/** A tool that its owner has to look at first, because its definition is new or changed. */
export function Held({ held }: { held: string | undefined }) {
  return held ? <Pill tint="wait" icon={Clock}>{held === 'changed' ? 'Changed upstream' : held === 'new' ? 'New upstream' : held}</Pill> : null
}

export function why(d: Decision): string {
  return d.reason.charAt(0).toUpperCase() + d.reason.slice(1).replace(/\.$/, '')
}
