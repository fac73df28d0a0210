# Writes the figures of R's package survey on the survey of visitors of lounges: the net promoter score, means and shares
# by group and wave, with weights and with strata and clusters; tests/tabulation/test_lounge_reference.py reads them.
#
#   PYTHONPATH=. python bench/reference/lounge_sample.py lounge.csv
#   Rscript bench/reference/lounge.R lounge.csv
#
# run in the repository's root.

suppressMessages({
  library(survey)
  library(jsonlite)
})
people <- read.csv(commandArgs(trailingOnly = TRUE)[1], na.strings = "")
for (point in 0:10) people[[paste0("point_", point)]] <- as.numeric(people$recommend == point)
people <- within(people, {
  promoters <- as.numeric(recommend >= 9)
  detractors <- as.numeric(recommend <= 6)
  passives <- 1 - promoters - detractors
  nps <- 100 * (promoters - detractors)
  satisfaction <- satisfaction + 1
  top_2 <- as.numeric(satisfaction >= 4)
})
points <- paste0("point_", 0:10)
summaries <- c("promoters", "passives", "detractors", "nps", "recommend")
means <- c("nps", "recommend", "satisfaction")
shares <- c("point_10", "promoters", "top_2", "service_2")

bare <- function(x) as.vector(unname(x))
known <- function(line, design) subset(design, !is.na(design$variables[[line]]))
part <- function(design, column, values) subset(design, design$variables[[column]] %in% values)
mean_of <- function(line, design) {
  there <- known(line, design)
  found <- svymean(as.formula(paste0("~", line)), there)
  ends <- confint(found, df = degf(there))
  list(value = bare(coef(found)), se = bare(SE(found)), low = ends[1], high = ends[2])
}
share_of <- function(line, design) {
  found <- svyciprop(as.formula(paste0("~", line)), known(line, design), method = "xlogit")
  list(value = bare(coef(found)), low = bare(confint(found)[1]), high = bare(confint(found)[2]))
}
# The later group less the earlier one, of a regression on the group.
p_of <- function(line, column, pair, design) {
  two <- known(line, part(design, column, pair))
  two <- update(two, later = as.numeric(two$variables[[column]] == pair[2]))
  bare(svyttest(as.formula(paste0(line, " ~ later")), two)$p.value)
}
chi_square <- function(column, design) {
  there <- known("recommend", known(column, design))
  there <- update(there, answer = factor(recommend), group = factor(there$variables[[column]]))
  found <- svychisq(~ answer + group, there, statistic = "F")
  list(f = bare(found$statistic), df = bare(found$parameter[1]), df_below = bare(found$parameter[2]), p = bare(found$p.value))
}
# p-values of lines (rows) in comparisons (columns), and Holm's over each family.
family <- function(lines, tests) {
  raw <- sapply(tests, function(test) sapply(lines, test))
  list(p = unname(raw), adjusted = unname(matrix(p.adjust(as.vector(raw), "holm"), nrow(raw))))
}
cabins <- list(c(0, 1), c(0, 2), c(1, 2))
figures_of <- function(design) {
  groups <- list(
    total = design,
    cabin_0 = part(design, "cabin", 0), cabin_1 = part(design, "cabin", 1), cabin_2 = part(design, "cabin", 2),
    wave_0 = part(design, "wave", 0), wave_1 = part(design, "wave", 1)
  )
  each <- function(lines, of) sapply(lines, function(line) lapply(groups, function(group) of(line, group)), simplify = FALSE)
  by_cabin <- lapply(cabins, function(pair) function(line) p_of(line, "cabin", pair, design))
  by_wave <- list(function(line) p_of(line, "wave", 0:1, design))
  within_cabin <- lapply(0:2, function(cabin) function(line) p_of(line, "wave", 0:1, part(design, "cabin", cabin)))
  # The change of the score by the covariance of both waves, without a regression.
  waves <- svyby(~nps, ~wave, known("nps", design), svymean, covmat = TRUE)
  change <- svycontrast(waves, c(-1, 1))
  list(
    means = each(means, mean_of),
    shares = each(shares, share_of),
    cabins = list(points = family(points, by_cabin), summaries = family(summaries, by_cabin)),
    waves = list(points = family(points, by_wave), summaries = family(summaries, by_wave)),
    changes = list(points = family(points, within_cabin), summaries = family(summaries, within_cabin)),
    change = list(value = bare(coef(change)), se = bare(SE(change))),
    association = list(cabin = chi_square("cabin", design), wave = chi_square("wave", design))
  )
}
figures <- list(
  weighted = figures_of(svydesign(ids = ~1, weights = ~weight, data = people)),
  clustered = figures_of(svydesign(ids = ~airport, strata = ~stratum, weights = ~weight, data = people))
)
figures$made_by <- paste("R", getRversion(), "survey", packageVersion("survey"))
write_json(figures, "tests/stats/reference/lounge.json", digits = I(12), auto_unbox = TRUE, pretty = TRUE, na = "null")
