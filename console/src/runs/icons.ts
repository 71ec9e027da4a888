import { ArrowDownUp, Check, Circle, Eye, FileUp, Flag, Globe, Hand, Hourglass, Keyboard, ListChecks, MousePointerClick, PanelTop, Play, Split, TextCursorInput, X, type LucideIcon } from 'lucide-react'

/** What a step did, as a picture: the actions of the browser hand, and the kinds of events that stand alone. */
export const icons: Record<string, LucideIcon> = {
  navigate: Globe, click: MousePointerClick, type: TextCursorInput, select: ListChecks, check: Check, upload: FileUp, key: Keyboard, scroll: ArrowDownUp,
  wait: Hourglass, snapshot: Eye, tab: PanelTop, close: X, queued: Circle, started: Play, asked: Hand, waiting: Hourglass, resumed: Play, handover: Split, ended: Flag, cancelAsked: X,
}

export const otherIcon = Circle
