import type { AuthMethod } from '@/api/model'
import { Pill } from '@/ui/pill'

export const authWords: Record<string, string> = { oauth2: 'OAuth 2', bearer: 'Bearer token', apiKey: 'API key', basic: 'User name and password', none: 'No authentication', unknown: 'Unknown' }
const sure: Record<string, string> = { high: 'sure', medium: 'likely', low: 'a guess' }

/** Where a method puts what it is given, such as: header Authorization. */
export function placed(m: AuthMethod): string {
  return (m.placements ?? []).map((p) => `${p.in} ${p.name}`).join(', ')
}

/** The ways to be let in, with how sure we are and why. */
export function AuthMethods({ methods }: { methods: AuthMethod[] }) {
  return (
    <ul className="space-y-2">
      {methods.map((m) => (
        <li key={m.id} className="text-sm">
          <span className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
            <span className="font-medium">{authWords[m.kind] ?? m.kind}</span>
            {placed(m) ? <span className="font-mono text-xs text-ink-2">{placed(m)}</span> : null}
            <Pill>{sure[m.confidence] ?? m.confidence}</Pill>
            {m.supported ? null : <Pill tint="wait">cannot be used yet</Pill>}
          </span>
          <span className="block text-xs text-ink-2">{m.reason}</span>
        </li>
      ))}
    </ul>
  )
}
