import { Tabs as T } from 'radix-ui'
import type { ReactNode } from 'react'

/** Views of one thing, of which one is shown. Arrow keys move between the tabs. */
export function Tabs<V extends string>({ label, value, onChange, tabs, children }: { label: string; value: V; onChange: (v: V) => void; tabs: [value: V, text: ReactNode][]; children: ReactNode }) {
  return (
    <T.Root value={value} onValueChange={(v) => { onChange(v as V) }}>
      <T.List aria-label={label} className="flex gap-4 overflow-x-auto border-b border-line">
        {tabs.map(([v, text]) => (
          <T.Trigger key={v} value={v} className="-mb-px min-h-8 border-b-2 border-transparent text-sm whitespace-nowrap text-ink-2 -outline-offset-2 hover:text-ink data-[state=active]:border-ink data-[state=active]:font-medium data-[state=active]:text-ink">{text}</T.Trigger>
        ))}
      </T.List>
      <T.Content value={value} tabIndex={-1} className="pt-3 outline-none">{children}</T.Content>
    </T.Root>
  )
}
