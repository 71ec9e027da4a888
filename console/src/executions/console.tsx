import { visible } from '@/interactions/facts'
import type { LogLine } from '@/api/model'
import { cn } from '@/ui/cn'

const inks: Record<string, string> = { error: 'text-bad', warn: 'text-wait', debug: 'text-ink-2' }

/** What a program wrote to its console, newest last. */
export function Console({ lines, label = 'Console', className }: { lines: LogLine[]; label?: string; className?: string }) {
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls has to be reachable by keyboard
    <div role="log" tabIndex={0} aria-label={label} className={cn('max-h-80 overflow-auto rounded-md border border-line bg-sunken py-1.5 font-mono text-xs leading-5', className)}>
      {lines.map((l, i) => (
        <p key={i} className={cn('grid grid-cols-[3.25rem_minmax(0,1fr)] gap-x-2 px-3', inks[l.level])}>
          <span className="text-ink-2">{l.level}</span><span className="break-words whitespace-pre-wrap">{visible(l.text)}</span>
        </p>
      ))}
    </div>
  )
}
