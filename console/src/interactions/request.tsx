type Row = [name: string, value: string]

// Hidden and bidirectional characters could make a card read differently from what is stored: they are shown by their code.
const hidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g

/** Makes characters visible that a reader could not see. */
export function visible(s: string): string {
  return s.replace(hidden, (c) => `⟨U+${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`)
}

const names: Record<string, string> = {
  role: 'Element', name: 'Called', formAction: 'Sends to', formMethod: 'Method', origin: 'Site', url: 'Page', field: 'Field', question: 'Question', challenge: 'Challenge', ref: 'Reference',
}

const skip = new Set(['fields', 'digest', 'ref'])

function rows(request: Record<string, unknown>): { facts: Row[]; fields: Row[] } {
  const facts: Row[] = []
  const fields: Row[] = []
  for (const [k, v] of Object.entries(request)) {
    if (k === 'commit' && v && typeof v === 'object') {
      const inner = rows(v as Record<string, unknown>)
      facts.push(...inner.facts)
      fields.push(...inner.fields)
    } else if (k === 'fields' && Array.isArray(v)) {
      for (const f of v as { name?: string; label?: string; value?: string }[]) fields.push([f.label ?? f.name ?? '', f.value ?? ''])
    } else if (!skip.has(k) && v !== '' && v !== null) {
      facts.push([names[k] ?? k, typeof v === 'string' ? v : JSON.stringify(v)])
    }
  }
  return { facts, fields }
}

/** The exact stored request of an interaction: not the model's words, but what will happen. */
export function Request({ request }: { request: Record<string, unknown> }) {
  const { facts, fields } = rows(request)
  if (facts.length + fields.length === 0) return null
  return (
    <div className="mt-3 rounded-md border border-line bg-sunken text-sm">
      {facts.length > 0 ? (
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 px-3 py-2.5">
          {facts.map(([k, v]) => (
            <div key={k} className="contents"><dt className="text-ink-2">{k}</dt><dd className="min-w-0 break-words">{visible(v)}</dd></div>
          ))}
        </dl>
      ) : null}
      {fields.length > 0 ? (
        <table className="w-full border-t border-line text-left">
          <caption className="sr-only">What would be sent</caption>
          <thead className="sr-only"><tr><th scope="col">Field</th><th scope="col">Value</th></tr></thead>
          <tbody>
            {fields.map(([k, v], i) => (
              <tr key={`${k}-${i.toString()}`} className="border-t border-line first:border-t-0">
                <th scope="row" className="w-2/5 px-3 py-1.5 align-top font-normal break-words text-ink-2">{visible(k)}</th>
                <td className="px-3 py-1.5 align-top break-words">{v === '' ? <em className="text-ink-2">empty</em> : visible(v)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : null}
    </div>
  )
}
