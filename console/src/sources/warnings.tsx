import type { Warning } from '@/api/model'

/** What was left out or repaired while a description was read. */
export function Warnings({ warnings, open }: { warnings: Warning[]; open?: boolean }) {
  if (warnings.length === 0) return null
  return (
    <details className="text-sm" open={open}>
      <summary className="font-medium text-wait">{warnings.length === 1 ? '1 warning' : `${warnings.length.toLocaleString()} warnings`}</summary>
      <ul className="mt-2 max-h-60 space-y-1 overflow-auto">
        {warnings.map((w, i) => (
          <li key={i} className="grid grid-cols-[4.5rem_minmax(0,1fr)] gap-x-2">
            <span className="text-xs leading-5 text-ink-2 tabular-nums">{w.line ? `line ${w.line.toString()}` : ''}</span>
            <span className="break-words">{w.message}</span>
          </li>
        ))}
      </ul>
    </details>
  )
}
