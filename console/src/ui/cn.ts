import { clsx, type ClassValue } from 'clsx'
import { twMerge } from 'tailwind-merge'

/** Joins class names; a later one of the same kind wins. */
export function cn(...parts: ClassValue[]): string {
  return twMerge(clsx(parts))
}
