import { Eye, Globe } from 'lucide-react'

/** An agent at a glance: an eye only reads, a globe acts. */
export function AgentIcon({ readOnly }: { readOnly: boolean }) {
  const Icon = readOnly ? Eye : Globe
  return <span className="grid size-8 shrink-0 place-items-center rounded-md border border-line bg-sunken text-ink-2"><Icon aria-hidden className="size-4" /></span>
}
