import { Bot, Inbox, KeyRound, Laptop, ListTree, Settings, SquareStack } from 'lucide-react'

/** The rooms of the console, in the order of the navigation. `key` goes there after g; a phone's bar has those of `bar`. */
export const places = [
  { to: '/runs', name: 'Runs', icon: ListTree, key: 'r', bar: true },
  { to: '/inbox', name: 'Inbox', icon: Inbox, key: 'i', bar: true },
  { to: '/instances', name: 'Instances', icon: SquareStack, key: 'n', bar: true },
  { to: '/agents', name: 'Agents', icon: Bot, key: 'a', bar: false },
  { to: '/machines', name: 'Machines', icon: Laptop, key: 'm', bar: true },
  { to: '/keys', name: 'Keys', icon: KeyRound, key: 'k', bar: false },
  { to: '/settings', name: 'Settings', icon: Settings, key: 's', bar: false },
] as const
