# Writes the figures that Semscale's survey statistics are held against, made by R's package survey (GPL; figures alone
# are kept). tests/stats/test_survey_reference.py reads them.
#
#   Rscript bench/reference/survey.R
#
# run in the repository's root. survey_data.R hands the package's own data to the tests.

suppressMessages({
  library(survey)
  library(jsonlite)
})
folder <- "tests/stats/reference"
keep <- function(name, figures) {
  figures$made_by <- paste("R", getRversion(), "survey", packageVersion("survey"))
  write_json(figures, file.path(folder, paste0(name, ".json")), digits = I(12), auto_unbox = TRUE, pretty = TRUE, na = "null")
}
bare <- function(x) as.vector(unname(x))
described <- function(stat, design) {
  ends <- confint(stat, df = degf(design))
  list(value = bare(coef(stat)), se = bare(SE(stat)), df = degf(design), low = bare(ends[, 1]), high = bare(ends[, 2]))
}
share <- function(formula, design, method) {
  found <- svyciprop(formula, design, method = method)
  list(value = bare(coef(found)), low = bare(confint(found)[, 1]), high = bare(confint(found)[, 2]))
}
quantiles <- function(formula, design, rule, at = c(.25, .5, .9)) {
  found <- svyquantile(formula, design, at, qrule = rule, na.rm = TRUE)[[1]]
  list(at = at, value = bare(found[, 1]), low = bare(found[, 2]), high = bare(found[, 3]))
}
tested <- function(formula, design) {
  found <- svychisq(formula, design, statistic = "F")
  list(f = bare(found$statistic), df = bare(found$parameter[1]), df_below = bare(found$parameter[2]), p = bare(found$p.value))
}
between <- function(formula, design) {
  found <- svyttest(formula, design)
  list(value = bare(found$estimate), t = bare(found$statistic), df = bare(found$parameter), p = bare(found$p.value))
}
by_group <- function(formula, by, design) {
  if (length(design$postStrata)) { # svyby() has no covariances there: a regression on the groups has the same
    found <- svyglm(reformulate(c("0", all.vars(by)), all.vars(formula)), design)
    return(list(value = bare(coef(found)), se = bare(SE(found)), covariance = unname(vcov(found))))
  }
  found <- svyby(formula, by, design, svymean, na.rm = TRUE, covmat = TRUE)
  list(value = bare(coef(found)), se = bare(SE(found)), covariance = unname(vcov(found)))
}

# ---- a small survey of our own ------------------------------------------------------------------------------------
ours <- read.csv(file.path(folder, "sample.csv"), na.strings = "")
ours$top <- as.numeric(ours$rating >= 4)
ours$id <- seq_len(nrow(ours))
common <- function(design) {
  ab <- subset(design, group %in% c("a", "b"))
  list(
    degf = degf(design),
    total_x = described(svytotal(~x, design), design),
    mean_y = described(svymean(~y, design, na.rm = TRUE), subset(design, !is.na(y))),
    ratio = described(svyratio(~y, ~x, design, na.rm = TRUE), subset(design, !is.na(y))),
    shares = described(svymean(~factor(rating), design, na.rm = TRUE), subset(design, !is.na(rating))),
    by_group = by_group(~y, ~group, subset(design, !is.na(y))),
    domain = described(svymean(~y, subset(design, group == "b"), na.rm = TRUE), subset(design, group == "b" & !is.na(y))),
    top_logit = share(~top, subset(design, !is.na(top)), "xlogit"),
    top_beta = share(~top, subset(design, !is.na(top)), "beta"),
    difference = between(y ~ group, subset(ab, !is.na(y))),
    paired = between(I(rating - second) ~ 0, subset(design, !is.na(rating) & !is.na(second))),
    association = tested(~rating + group, subset(design, !is.na(rating)))
  )
}
designs <- list(
  plain = svydesign(ids = ~1, weights = ~weight, data = ours),
  stratified = svydesign(ids = ~1, strata = ~stratum, weights = ~weight, data = ours),
  clustered = svydesign(ids = ~cluster, weights = ~weight, data = ours),
  both = svydesign(ids = ~cluster, strata = ~stratum, weights = ~weight, data = ours),
  finite = svydesign(ids = ~cluster, strata = ~stratum, weights = ~weight, fpc = ~clusters_in_population, data = ours),
  two_stage = svydesign(
    ids = ~ cluster + household, strata = ~ stratum + cluster, weights = ~weight,
    fpc = ~ clusters_in_population + households_in_cluster, data = ours
  )
)
figures <- lapply(designs, common)
for (name in names(designs)) {
  for (rule in c("math", "school")) figures[[name]][[paste0("quantiles_", rule)]] <- quantiles(~y, subset(designs[[name]], !is.na(y)), rule)
  figures[[name]]$deff <- bare(deff(svymean(~y, subset(designs[[name]], !is.na(y)), deff = "replace")))
}
keep("sample_designs", figures)

jackknife <- as.svrepdesign(designs$finite, type = "JKn", compress = FALSE)
jk1 <- as.svrepdesign(designs$clustered, type = "JK1", compress = FALSE)
halves <- subset(ours, cluster %% 6 %in% c(1, 2))
paired_design <- svydesign(ids = ~cluster, strata = ~stratum, weights = ~weight, data = halves)
replicated <- list(
  jkn = list(design = jackknife, rows = ours), jk1 = list(design = jk1, rows = ours),
  brr = list(design = as.svrepdesign(paired_design, type = "BRR", compress = FALSE), rows = halves),
  fay = list(design = as.svrepdesign(paired_design, type = "Fay", fay.rho = .3, compress = FALSE), rows = halves),
  fay_mse = list(design = as.svrepdesign(paired_design, type = "Fay", fay.rho = .3, compress = FALSE, mse = TRUE), rows = halves)
)
keep("sample_replicates", lapply(replicated, function(one) {
  c(common(one$design), list(
    quantiles_math = quantiles(~y, subset(one$design, !is.na(y)), "math"),
    scale = one$design$scale, rscales = one$design$rscales,
    # Jackknife weights are simple enough for the tests to make.
    ids = if (nrow(one$rows) < nrow(ours)) one$rows$id,
    replicates = if (nrow(one$rows) < nrow(ours)) unname(as.matrix(unclass(weights(one$design, "analysis"))))
  ))
}))

lonely <- subset(ours, stratum != 2 | cluster == 7)
keep("sample_lonely", lapply(c(certainty = "certainty", average = "average", adjust = "adjust"), function(option) {
  options(survey.lonely.psu = option)
  design <- svydesign(ids = ~cluster, strata = ~stratum, weights = ~weight, data = lonely)
  list(total_x = bare(SE(svytotal(~x, design))), mean_x = bare(SE(svymean(~x, design))), rows = nrow(lonely))
}))
options(survey.lonely.psu = "fail")

margins <- list(
  data.frame(group = c("a", "b", "c"), Freq = c(2000, 1500, 2500)),
  data.frame(sex = c("f", "m"), Freq = c(3200, 2800)),
  data.frame(stratum = 1:4, Freq = c(1000, 2500, 1200, 1300))
)
raked <- rake(designs$plain, list(~group, ~sex, ~stratum), margins, control = list(maxit = 500, epsilon = 1e-11))
keep("sample_raking", list(weights = bare(weights(raked))))

# Standard errors that know of the margins: calibrate() regresses on the margins with the weights of the start, rake()
# without weights.
ours$stratum_name <- factor(ours$stratum)
population <- c(`(Intercept)` = 6000, groupb = 1500, groupc = 2500, sexm = 2800, stratum_name2 = 2500, stratum_name3 = 1200, stratum_name4 = 1300)
calibrated <- function(design) {
  design <- update(design, stratum_name = factor(stratum))
  calibrate(design, ~ group + sex + stratum_name, population, calfun = "raking", epsilon = 1e-12, maxit = 200, compress = FALSE)
}
raked_designs <- c(lapply(designs, calibrated), list(
  rake_both = rake(designs$both, list(~group, ~sex, ~stratum), margins, control = list(maxit = 500, epsilon = 1e-11)),
  jkn = calibrated(jackknife), jk1 = calibrated(jk1), fay = calibrated(replicated$fay$design)
))
# R keeps all rows of a calibrated design, and fails on those without a value: give them one, and leave them out.
filled <- function(design) {
  zero <- function(x) ifelse(is.na(x), 0, x)
  update(design,
    has_y = !is.na(y), has_top = !is.na(top), has_both = !is.na(rating) & !is.na(second),
    y = zero(y), top = zero(top), gap = zero(rating - second), in_b = as.numeric(group == "b")
  )
}
of_raked <- function(design) {
  design <- filled(design)
  with_y <- subset(design, has_y)
  list(
    degf = degf(design),
    total_x = described(svytotal(~x, design), design),
    mean_y = described(svymean(~y, with_y), with_y),
    ratio = described(svyratio(~y, ~x, with_y), with_y),
    sex = described(svymean(~sex, design), design),
    by_group = by_group(~y, ~group, with_y),
    domain = described(svymean(~y, subset(with_y, group == "b")), subset(with_y, group == "b")),
    top_logit = share(~top, subset(design, has_top), "xlogit"),
    difference = between(y ~ in_b, subset(with_y, group %in% c("a", "b"))),
    paired = between(gap ~ 0, subset(design, has_both)),
    association = tested(~rating + group, subset(design, !is.na(rating)))
  )
}
keep("sample_raked_designs", lapply(raked_designs, of_raked))

# One replicate for each row: a column's missing values lower the degrees of freedom.
by_row <- as.svrepdesign(designs$plain, type = "JK1", compress = FALSE)
keep("sample_degrees", list(
  everyone = degf(by_row), y = degf(subset(by_row, !is.na(y))), second = degf(subset(by_row, !is.na(second))),
  y_of_group = sapply(c("a", "b", "c"), function(name) degf(subset(by_row, !is.na(y) & group == name)))
))

# ---- the package's documented examples ----------------------------------------------------------------------------
data(api)
data(nhanes)
data(scd)
apistrat$high <- as.numeric(apistrat$api00 > 700)
apiclus1$high <- as.numeric(apiclus1$api00 > 700)
apiclus2$high <- as.numeric(apiclus2$api00 > 700)
api_figures <- function(design) {
  list(
    degf = degf(design),
    total = described(svytotal(~enroll, design, na.rm = TRUE), subset(design, !is.na(enroll))),
    mean = described(svymean(~api00, design), design),
    two_means = described(svymean(~ api99 + api00, design), design),
    stype = described(svymean(~stype, design), design),
    ratio = described(svyratio(~api.stu, ~enroll, design, na.rm = TRUE), subset(design, !is.na(enroll))),
    by_stype = by_group(~api00, ~stype, design),
    quantiles = quantiles(~api00, design, "math"),
    high_logit = share(~high, design, "xlogit"),
    high_beta = share(~high, design, "beta"),
    difference = between(api00 ~ sch.wide, design),
    paired = between(I(api00 - api99) ~ 0, design),
    association = tested(~ sch.wide + stype, design),
    deff = bare(deff(svymean(~api00, design, deff = "replace")))
  )
}
dstrat <- svydesign(id = ~1, strata = ~stype, weights = ~pw, data = apistrat, fpc = ~fpc)
dclus1 <- svydesign(id = ~dnum, weights = ~pw, data = apiclus1, fpc = ~fpc)
dclus2 <- svydesign(id = ~ dnum + snum, fpc = ~ fpc1 + fpc2, data = apiclus2)
keep("api", list(
  apistrat = api_figures(dstrat),
  apiclus1 = api_figures(dclus1),
  apiclus2 = api_figures(dclus2),
  apiclus1_jk1 = api_figures(as.svrepdesign(dclus1)),
  apistrat_jkn = list(mean = described(svymean(~api00, as.svrepdesign(dstrat)), as.svrepdesign(dstrat))),
  apiclus1_raked = list(weights = bare(weights(rake(dclus1, list(~stype, ~sch.wide), list(
    data.frame(stype = c("E", "H", "M"), Freq = c(4421, 755, 1018)),
    data.frame(sch.wide = c("No", "Yes"), Freq = c(1072, 5122))
  ), control = list(maxit = 500, epsilon = 1e-11))))),
  apistrat_calibrated = api_figures(calibrate(dstrat, ~ stype + sch.wide, c(`(Intercept)` = 6194, stypeH = 755, stypeM = 1018, sch.wideYes = 5122), calfun = "raking", epsilon = 1e-12, maxit = 200)),
  apiclus1_calibrated = api_figures(calibrate(dclus1, ~ stype + sch.wide, c(`(Intercept)` = 6194, stypeH = 755, stypeM = 1018, sch.wideYes = 5122), calfun = "raking", epsilon = 1e-12, maxit = 200))
))

dnhanes <- svydesign(id = ~SDMVPSU, strata = ~SDMVSTRA, weights = ~WTMEC2YR, nest = TRUE, data = nhanes)
known <- subset(dnhanes, !is.na(HI_CHOL))
keep("nhanes", list(
  mean = described(svymean(~HI_CHOL, dnhanes, na.rm = TRUE), known),
  by_race = by_group(~HI_CHOL, ~race, known),
  logit = share(~HI_CHOL, known, "xlogit"),
  beta = share(~HI_CHOL, known, "beta"),
  association = tested(~ HI_CHOL + race, known),
  difference = between(HI_CHOL ~ RIAGENDR, known)
))

scd$ESA <- c(1, 1, 2, 2, 3, 3)
half <- 2 * cbind(c(1, 0, 1, 0, 1, 0), c(1, 0, 0, 1, 0, 1), c(0, 1, 1, 0, 0, 1), c(0, 1, 0, 1, 1, 0))
brr <- svrepdesign(data = scd, type = "BRR", repweights = half, combined.weights = FALSE, weights = rep(1, 6))
keep("scd", list(
  data = scd, replicates = half,
  ratio = described(svyratio(~alive, ~arrests, brr), brr),
  total = described(svytotal(~ alive + arrests, brr), brr),
  mean = described(svymean(~alive, brr), brr),
  made = {
    drawn <- svydesign(data = scd, prob = ~1, id = ~ambulance, strata = ~ESA, nest = TRUE)
    lapply(c(brr = 0, fay = .3), function(rho) {
      design <- as.svrepdesign(drawn, type = if (rho) "Fay" else "BRR", fay.rho = rho)
      list(ratio = described(svyratio(~alive, ~arrests, design), design), total = described(svytotal(~alive, design), design))
    })
  }
))
