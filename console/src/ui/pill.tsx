import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { cn } from './cn'

export type Tint = 'ok' | 'bad' | 'wait' | 'busy' | 'none'

const tints: Record<Tint, string> = { ok: 'bg-ok-soft text-ok', bad: 'bg-bad-soft text-bad', wait: 'bg-wait-soft text-wait', busy: 'bg-busy-soft text-busy', none: 'bg-hover text-ink-2' }

/** A short fact in a pill: icon, word and colour together, never colour alone. */
export function Pill({ tint = 'none', icon: Icon, spin, children, title, className }: { tint?: Tint; icon?: LucideIcon; spin?: boolean; children: ReactNode; title?: string; className?: string }) {
  return (
    <span title={title} className={cn('inline-flex items-center gap-1 rounded-full px-2 py-px text-xs font-medium whitespace-nowrap', tints[tint], className)}>
      {Icon ? <Icon aria-hidden className={cn('size-3.5', spin && 'animate-spin')} /> : null}
      {children}
    </span>
  )
}
