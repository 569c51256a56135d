// The value below which a share of the numbers lies; null when there are none.
export function quantile(numbers, share) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? null;
}

export function median(numbers) {
  return quantile(numbers, 0.5);
}
