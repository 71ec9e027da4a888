import { CircleCheck, CircleHelp, CircleX, TriangleAlert } from 'lucide-react'
import { Pill } from './pill'

const looks = {
  healthy: { tint: 'ok', icon: CircleCheck, word: 'Healthy' },
  expired: { tint: 'bad', icon: CircleX, word: 'Not let in' },
  degraded: { tint: 'wait', icon: TriangleAlert, word: 'Degraded' },
  unknown: { tint: 'none', icon: CircleHelp, word: 'Not tested' },
} as const

/** How a connection was when it was tested last. */
export function HealthPill({ status }: { status: keyof typeof looks | undefined }) {
  const { tint, icon, word } = looks[status ?? 'unknown']
  return <Pill tint={tint} icon={icon}>{word}</Pill>
}
