import { Bot, Inbox, KeyRound, Laptop, ListTree, Settings, SquareStack } from 'lucide-react'

/** The rooms of the console, in the order of the navigation. `key` goes there after g. */
export const places = [
  { to: '/runs', name: 'Runs', icon: ListTree, key: 'r' },
  { to: '/inbox', name: 'Inbox', icon: Inbox, key: 'i' },
  { to: '/instances', name: 'Instances', icon: SquareStack, key: 'n' },
  { to: '/agents', name: 'Agents', icon: Bot, key: 'a' },
  { to: '/machines', name: 'Machines', icon: Laptop, key: 'm' },
  { to: '/keys', name: 'Keys', icon: KeyRound, key: 'k' },
  { to: '/settings', name: 'Settings', icon: Settings, key: 's' },
] as const
