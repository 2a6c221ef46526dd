import { afterAll } from 'vitest'

afterAll(() => {})
