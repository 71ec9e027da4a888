import { facts } from './facts'

/** The exact request as it is stored, as a person reads it. */
export function Request({ request }: { request: Record<string, unknown> }) {
  const { rows, fields, args, cut } = facts(request)
  if (rows.length + fields.length === 0 && args === undefined) return null
  return (
    <div className="overflow-hidden rounded-md border border-line text-sm">
      {rows.length > 0 ? (
        <dl className="grid gap-x-3 px-3 py-2 sm:grid-cols-[5rem_minmax(0,1fr)] sm:gap-y-1">
          {rows.map(({ name, value, warn }) => (
            <div key={name} className="contents">
              <dt className="text-xs text-ink-2 sm:text-sm">{name}</dt>
              <dd className="mb-1 break-words last:mb-0 sm:mb-0">{value}{warn ? <span className="ml-2 rounded bg-bad-soft px-1.5 text-xs font-medium text-bad">{warn}</span> : null}</dd>
            </div>
          ))}
        </dl>
      ) : null}
      {args === undefined ? null : <Exact caption={cut ? `With these arguments: the beginning of ${cut.toLocaleString()} characters` : 'With exactly these arguments'} text={args} />}
      {fields.length > 0 ? (
        <table className="w-full border-t border-line text-left first:border-t-0">
          <caption className="bg-sunken px-3 py-1 text-left text-xs text-ink-2">With these values</caption>
          <thead className="sr-only"><tr><th scope="col">Field</th><th scope="col">Value</th></tr></thead>
          <tbody>
            {fields.map(([k, v], i) => (
              <tr key={`${k}-${i.toString()}`} className="border-t border-line">
                <th scope="row" className="w-[5.75rem] py-1 pl-3 align-top font-normal break-words text-ink-2">{k}</th>
                <td className="py-1 pr-3 pl-3 align-top break-words">{v === '' ? <span className="text-ink-2">empty</span> : v}</td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : null}
    </div>
  )
}

function Exact({ caption, text }: { caption: string; text: string }) {
  return (
    <figure className="border-t border-line first:border-t-0">
      <figcaption className="bg-sunken px-3 py-1 text-xs text-ink-2">{caption}</figcaption>
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls has to be reachable by keyboard */}
      <pre role="group" tabIndex={0} aria-label={caption} className="max-h-72 overflow-auto px-3 py-2 font-mono text-xs break-words whitespace-pre-wrap -outline-offset-2">{text}</pre>
    </figure>
  )
}
