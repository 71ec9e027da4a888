import { Dialog } from './dialog'
import { places } from './places'

const groups = [
  { name: 'Anywhere', keys: [['⌘K or /', 'Search or do'], ['?', 'These shortcuts'], ...places.map((p) => [`g ${p.key}`, p.name])] },
  { name: 'Inbox', keys: [['j k', 'Next, previous'], ['a', 'Accept'], ['x', 'Decline'], ['r', 'Reply'], ['u', 'Undo, for 4 seconds']] },
  { name: 'Run', keys: [['j k', 'Next, previous step'], ['f', 'Follow the newest step'], ['Esc', 'Back']] },
  { name: 'Tools', keys: [['f', 'Search'], ['↑ ↓', 'Next, previous'], ['→ ←', 'Open, close'], ['⌘⏎', 'Call, in the arguments']] },
  { name: 'Playground', keys: [['⌘⏎', 'Run'], ['Tab', 'Indent'], ['⇧Tab', 'Outdent'], ['Esc', 'Leave the text']] },
]

export function KeyHelp({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title="Shortcuts">
      <div className="gap-8 sm:columns-2">
        {groups.map((g) => (
          <section key={g.name} className="mb-5 break-inside-avoid">
            <h3 className="mb-1 text-xs font-medium text-ink-2">{g.name}</h3>
            <dl className="text-sm">
              {g.keys.map(([k, what]) => (
                <div key={k} className="flex items-center justify-between gap-4 border-b border-line py-1.5 last:border-0">
                  <dt>{what}</dt>
                  <dd className="flex gap-1">{k?.split(' ').map((c) => (c === 'or' ? <span key={c} className="text-xs text-ink-2">or</span> : <kbd key={c} className="min-w-5 rounded border border-line bg-sunken px-1 text-center font-sans text-xs">{c}</kbd>))}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  )
}
