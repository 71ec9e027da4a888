import { Dialog } from './dialog'
import { places } from './places'

const groups = [
  { name: 'Anywhere', keys: [['⌘K or /', 'Search or do'], ['?', 'These keys'], ...places.map((p) => [`g ${p.key}`, `Go to ${p.name.toLowerCase()}`])] },
  { name: 'Inbox', keys: [['j / k', 'Next, previous'], ['a', 'Accept'], ['x', 'Decline'], ['r', 'Reply with a value'], ['u', 'Undo while it is still held back']] },
  { name: 'Run', keys: [['j / k', 'Next, previous step'], ['Esc', 'Back to the list']] },
]

export function KeyHelp({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title="Keys">
      <div className="grid gap-6 sm:grid-cols-2">
        {groups.map((g) => (
          <section key={g.name}>
            <h3 className="mb-2 text-xs font-medium text-ink-2">{g.name}</h3>
            <dl className="space-y-1.5 text-sm">
              {g.keys.map(([k, what]) => (
                <div key={k} className="flex justify-between gap-4"><dt>{what}</dt><dd><kbd className="rounded border border-line bg-sunken px-1.5 py-0.5 font-mono text-xs">{k}</kbd></dd></div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  )
}
