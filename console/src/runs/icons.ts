import { ArrowDownUp, Check, Circle, CircleDashed, CircleHelp, Eye, FileUp, Flag, Globe, Hand, Hourglass, Keyboard, ListChecks, MousePointerClick, PanelTop, Play, Send, Split, TextCursorInput, X, type LucideIcon } from 'lucide-react'

/** What a step did, as a picture: the actions of the browser hand, the kinds of events that stand alone, and how a call of a tool stands. */
export const icons: Record<string, LucideIcon> = {
  navigate: Globe, click: MousePointerClick, type: TextCursorInput, select: ListChecks, check: Check, upload: FileUp, key: Keyboard, scroll: ArrowDownUp,
  wait: Hourglass, snapshot: Eye, tab: PanelTop, close: X, queued: Circle, started: Play, asked: Hand, waiting: Hourglass, resumed: Play, handover: Split, ended: Flag, cancelAsked: X,
  'call:pending': CircleDashed, 'call:waiting': Hand, 'call:sent': Send, 'call:completed': Check, 'call:failed': X, 'call:unknown': CircleHelp,
}

export const otherIcon = Circle
